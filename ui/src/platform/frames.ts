/** Hearing frames, whichever door they come through. */

import type { Frame } from "../protocol/generated";
import { whenPainted } from "./painting";
import type { Platform } from "./platform";

/**
 * One frame is asked for after the other, each when the one before has been painted: none ever queues up. Where one is
 * refused, hearing begins anew, with word that frames were missed.
 */
export async function hearFrames(ask: Platform["call"], onFrame: (frame: Frame) => void) {
  let over = false;
  const hear = async (number: number) => {
    while (!over) {
      const frame = await ask("next_frame", { number });
      if (over || frame === null) return;
      const heard = performance.now();
      onFrame(frame);
      // It is applied once a frame has been painted, and in sight with the next.
      await painted();
      do await painted();
      while (performance.now() - heard < betweenMs);
    }
  };
  const begin = () => ask("begin_frames", {});
  const hearOn = async (first: number) => {
    let number: number | null = first;
    while (!over) {
      try {
        number ??= await begin();
        if (number !== first) onFrame({ ...nothing, missed: true });
        return await hear(number);
      } catch {
        number = null;
        await new Promise((resolve) => setTimeout(resolve, againMs));
      }
    }
  };
  void hearOn(await begin());
  return () => {
    over = true;
  };
}

const againMs = 1_000;
const nothing = {
  events: [],
  conversations: [],
  deltas: [],
  commandOutput: [],
  callsGrow: [],
  elicitationsChanged: false,
};

/** Words that come with every second frame of 17 ms read as well as with each, and take a quarter less of a processor. */
const betweenMs = 25;

export function painted(): Promise<void> {
  return new Promise((resolve) => void whenPainted(resolve));
}
