/** Time that runs out. What shows it is drawn anew only when its words change. */
import { plural, t } from "@lingui/core/macro";
import { useEffect, useState, useSyncExternalStore } from "react";

const tick = 250;

const everyTick = (listener: () => void) => {
  const timer = setInterval(listener, tick);
  return () => clearInterval(timer);
};
const never = () => () => undefined;

/** Whole seconds until a moment in milliseconds since 1970; 0 from then on. */
export function useSecondsUntil(at: number): number {
  return useSyncExternalStore(everyTick, () => secondsUntil(at));
}

/** Whole seconds since a moment in milliseconds since 1970, which is asked for anew each time. */
export function useSecondsSince(moment: () => number): number {
  return useSyncExternalStore(everyTick, () => Math.max(0, Math.floor((Date.now() - moment()) / 1000)));
}

/** Never, where there is no such moment. */
export function useIsOver(at: number | null): boolean {
  return useSyncExternalStore(at === null ? never : everyTick, () => at !== null && secondsUntil(at) === 0);
}

/** As `useSecondsUntil`, in words that change once a minute, and once a second at the end. */
export function useTimeUntil(at: number): string {
  return useSyncExternalStore(everyTick, () => words(secondsUntil(at)));
}

const secondMs = 1000;

/** The time, second by second, for as long as something goes on; else null. */
export function useNow(goesOn: boolean): number | null {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!goesOn) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), secondMs);
    return () => clearInterval(timer);
  }, [goesOn]);
  return goesOn ? now : null;
}

const secondsUntil = (at: number) => Math.max(0, Math.ceil((at - Date.now()) / 1000));

function words(seconds: number): string {
  if (seconds <= 60) return t`${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return t`${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48
    ? t`${hours} h ${minutes % 60} min`
    : plural(Math.round(hours / 24), { one: "# day", other: "# days" });
}
