import { useState } from "react";

/** View state that survives a restart, in localStorage. A stored value that is not allowed is ignored. */
export function useRemembered<T extends string>(
  key: string,
  initial: T,
  allowed: readonly T[],
): [T, (next: T) => void] {
  const [value, setValue] = useState<T>(() => allowed.find((one) => one === recall(key)) ?? initial);
  return [
    value,
    (next) => {
      remember(key, next);
      setValue(next);
    },
  ];
}

export function recall(key: string): string | null {
  try {
    return localStorage.getItem(`arki.${key}`);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(`arki.${key}`, value);
  } catch {
    // Storage may be full or off; the choice then lasts as long as the window.
  }
}

export function unremember(key: string): void {
  try {
    localStorage.removeItem(`arki.${key}`);
  } catch {
    // There is none.
  }
}

/** The keys that begin so. */
export function stored(prefix: string): string[] {
  try {
    const own = Object.keys(localStorage).filter((name) => name.startsWith(`arki.${prefix}`));
    return own.map((name) => name.slice("arki.".length));
  } catch {
    return [];
  }
}
