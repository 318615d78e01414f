import type { CSSProperties } from "react";
import { clock, duration, exactTime } from "../../components/format";
import { type Scale, timeAt, type View } from "./layout";

const shares = [0, 1 / 3, 2 / 3];
/** Of the axis, in hundredths. */
const labelRoom = 20;

/** Clock times, and how long each pause was that is drawn short. Rows say the same to screen readers. */
export function WaterfallAxis({ scale, view }: { scale: Scale; view: View }) {
  const share = (place: number) => (100 * (place - view.from)) / view.length;
  let free = 0;
  const labels = scale.pauses.flatMap((pause) => {
    const left = share(pause.at);
    if (left < free || left > 100 || share(pause.at + pause.drawn) < 0) return [];
    free = left + labelRoom;
    // At the end of the axis there is room before it alone.
    const end = 100 - share(pause.at + pause.drawn);
    const place: CSSProperties =
      left > 100 - labelRoom
        ? { insetInlineEnd: `${Math.max(0, end)}%` }
        : { insetInlineStart: `${Math.max(0, left)}%` };
    return [{ place, words: duration(pause.to - pause.from), key: pause.from }];
  });
  return (
    <div className="waterfall-axis small secondary" aria-hidden>
      <div className="span-track">
        {timesOn(scale, view).map(({ share, ts, words }) => (
          <span
            key={share}
            className="axis-time"
            style={{ insetInlineStart: `${100 * share}%` }}
            title={exactTime(ts)}
          >
            {words}
          </span>
        ))}
      </div>
      {labels.length > 0 && (
        <div className="span-track">
          {labels.map(({ place, words, key }) => (
            <span key={key} className="axis-pause" style={place}>
              {words}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

/** A clock tells seconds: of less time than this it would say much the same three times. */
const leastClockMs = 10_000;

/** The clock at the view's start, and behind it the clock too, or the time since then. */
export function timesOn(scale: Scale, view: View): { share: number; ts: number; words: string }[] {
  const at = (share: number) => timeAt(scale, view.from + share * view.length);
  const first = at(0);
  const isShort = at(1) - first < leastClockMs;
  return shares.map((share) => {
    const ts = at(share);
    return { share, ts, words: isShort && share > 0 ? `+${duration(ts - first)}` : clock(ts) };
  });
}

/** The bands behind all bars that mark the pauses in sight. */
export function pauseBands(scale: Scale, view: View): string {
  const share = (place: number) =>
    `${Math.min(100, Math.max(0, (100 * (place - view.from)) / view.length)).toFixed(3)}%`;
  const seen = scale.pauses.filter(({ at, drawn }) => at + drawn > view.from && at < view.from + view.length);
  if (seen.length === 0) return "none";
  const stops = seen.flatMap(({ at, drawn }) => {
    const [from, to] = [share(at), share(at + drawn)];
    return [`transparent ${from}`, `var(--pause) ${from}`, `var(--pause) ${to}`, `transparent ${to}`];
  });
  return `linear-gradient(calc(var(--forth) * 90deg), ${stops.join(", ")})`;
}
