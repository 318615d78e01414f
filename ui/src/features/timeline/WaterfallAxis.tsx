import { clock, duration, exactTime } from "../../components/format";
import { placeOf, type Scale } from "./layout";

/** Of the axis, in hundredths. */
const labelRoom = 20;

/** When it began and ended, and how long each pause was that is drawn short. Rows say the same to screen readers. */
export function WaterfallAxis({ scale }: { scale: Scale }) {
  let free = 0;
  const labels = scale.pauses.flatMap(({ from, to }) => {
    const left = Math.min(placeOf(scale, from), 100 - labelRoom);
    if (left < free) return [];
    free = left + labelRoom;
    return [{ left, words: duration(to - from) }];
  });
  return (
    <div className="waterfall-axis small secondary" aria-hidden>
      <div className="axis-times">
        <span title={exactTime(scale.from)}>{clock(scale.from)}</span>
        <span title={exactTime(scale.to)}>{clock(scale.to)}</span>
      </div>
      {labels.length > 0 && (
        <div className="span-track">
          {labels.map(({ left, words }) => (
            <span key={left} className="axis-pause" style={{ insetInlineStart: `${left}%` }}>
              {words}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

/** The bands behind all bars that mark the pauses. */
export function pauseBands(scale: Scale): string {
  if (scale.pauses.length === 0) return "none";
  const stops = scale.pauses.flatMap(({ from, to }) => {
    const [start, end] = [from, to].map((ts) => `${placeOf(scale, ts).toFixed(3)}%`);
    return [`transparent ${start}`, `var(--pause) ${start}`, `var(--pause) ${end}`, `transparent ${end}`];
  });
  return `linear-gradient(calc(var(--forth) * 90deg), ${stops.join(", ")})`;
}
