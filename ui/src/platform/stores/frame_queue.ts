/**
 * Batches frames to the screen's rhythm: one store update a painted frame, however fast the engine sends.
 * A hidden window paints nothing, so a timer stands in for the frame callback there.
 */
import type { Frame } from "../../protocol/generated";

const hiddenDelayMs = 200;

export function createFrameQueue(apply: (frames: Frame[]) => void) {
  let queued: Frame[] = [];
  let cancel: (() => void) | null = null;
  const flush = () => {
    cancel?.();
    cancel = null;
    const frames = queued;
    queued = [];
    if (frames.length > 0) apply(frames);
  };
  const schedule = () => {
    const painted = requestAnimationFrame(flush);
    const timer = setTimeout(flush, hiddenDelayMs);
    cancel = () => {
      cancelAnimationFrame(painted);
      clearTimeout(timer);
    };
  };
  return {
    push(frame: Frame) {
      queued.push(frame);
      if (cancel === null) schedule();
    },
    flush,
    dispose() {
      cancel?.();
      cancel = null;
      queued = [];
    },
  };
}
