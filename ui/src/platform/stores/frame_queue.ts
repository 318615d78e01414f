/** Batches frames to the screen's rhythm: one store update a painted frame, however fast the engine sends. */
import type { Frame } from "../../protocol/generated";
import { whenPainted } from "../painting";

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
  return {
    push(frame: Frame) {
      queued.push(frame);
      cancel ??= whenPainted(flush);
    },
    flush,
    dispose() {
      cancel?.();
      cancel = null;
      queued = [];
    },
  };
}
