/** Moving through a session: which event it is shown at, one moment on or back, or moment after moment by itself. */
import { t } from "@lingui/core/macro";
import { Pause, Play, SkipBack, SkipForward, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { exactTime } from "../../components/format";
import { IconButton } from "../../components/IconButton";
import { useLatest } from "../../components/latest";
import { useArki, useSessionPart } from "../../platform/context";
import "./replay.css";

type Props = { sessionId: string; onClose: () => void };

/** Long enough to read what is new. */
const momentMs = 1200;

export function ReplayBar({ sessionId, onClose }: Props) {
  const session = useArki().session(sessionId);
  const moment = useSessionPart(sessionId, (view) => view.replay);
  const slider = useRef<HTMLInputElement>(null);
  useEffect(() => {
    void session.replayTo(0);
    slider.current?.focus();
    return () => void session.replayTo(null);
  }, [session]);
  const [playing, setPlaying] = usePlaying(session.replayStep, moment?.seq ?? 0);
  const { seq, last } = moment ?? { seq: 1, last: 1 };
  const step = (by: 1 | -1) => {
    setPlaying(false);
    void session.replayStep(by);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    onClose();
  };
  const at = t`Event ${seq} of ${last}`;
  const time = moment === null || moment.ts === 0 ? "" : exactTime(moment.ts);
  return (
    <section className="replay" aria-label={t`Replay`} onKeyDown={onKeyDown}>
      <div className="replay-line">
        <IconButton label={t`Previous step`} icon={SkipBack} disabled={seq <= 1} onClick={() => step(-1)} />
        <Button
          small
          look="quiet"
          label={playing ? t`Pause the replay` : t`Play`}
          icon={playing ? <Pause size={14} aria-hidden /> : <Play size={14} aria-hidden />}
          disabled={seq >= last}
          onClick={() => setPlaying(!playing)}
        />
        <IconButton label={t`Next step`} icon={SkipForward} disabled={seq >= last} onClick={() => step(1)} />
        <input
          ref={slider}
          type="range"
          className="replay-slider"
          aria-label={t`Moment`}
          aria-valuetext={`${at}, ${time}`}
          min={1}
          max={last}
          value={seq}
          onChange={(event) => {
            setPlaying(false);
            void session.replayTo(Number(event.target.value));
          }}
        />
        <span className="replay-at small secondary">{at}</span>
        <IconButton label={t`Close the replay`} shortcut="Escape" icon={X} onClick={onClose} />
      </div>
      <p className="replay-note small secondary">
        {time === ""
          ? t`The conversation as it was. Nothing is run or changed.`
          : t`The conversation as it was at ${time}. Nothing is run or changed.`}
      </p>
    </section>
  );
}

/** While it plays, one step follows the other until there is none. */
function usePlaying(step: (by: 1) => Promise<boolean>, seq: number) {
  const [playing, setPlaying] = useState(false);
  const next = useLatest(step);
  // biome-ignore lint/correctness/useExhaustiveDependencies: again once the step before is shown
  useEffect(() => {
    if (!playing) return;
    const timer = setTimeout(async () => {
      if (!(await next.current(1))) setPlaying(false);
    }, momentMs);
    return () => clearTimeout(timer);
  }, [playing, seq]);
  return [playing, setPlaying] as const;
}
