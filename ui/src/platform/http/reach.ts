/** Whether the server answers. One request that fails may be a moment's trouble; what lasts is told. */
import { createStore } from "../stores/store";

export const isReached = createStore(true);

const lastsMs = 2_000;
let trouble: ReturnType<typeof setTimeout> | undefined;

export function tellReach(answered: boolean): void {
  if (!answered) {
    trouble ??= setTimeout(() => isReached.set(false), lastsMs);
    return;
  }
  clearTimeout(trouble);
  trouble = undefined;
  isReached.set(true);
}
