/** What can be asked of the engine from where the window is shown: in a browser some of it can't, and isn't offered. */
import { createContext, useContext } from "react";
import type { Commands } from "../protocol/generated";

export type Needed = keyof Commands;

const CanContext = createContext<(name: Needed) => boolean>(() => true);

export const CanProvider = CanContext.Provider;

export const useCan = () => useContext(CanContext);

type Offered = { needs?: Needed | undefined };

/** Those that can be done here; null separates groups, and never ends or doubles. */
export function offered<T extends Offered>(
  actions: readonly (T | null)[],
  can: (name: Needed) => boolean,
): (T | null)[] {
  const left = actions.filter((one) => one === null || one.needs === undefined || can(one.needs));
  const first = left.findIndex((one) => one !== null);
  return left.filter((one, place) => one !== null || (place > first && left[place + 1] != null));
}
