/** Time, tokens, money and paths in human units. The exact figure belongs in a tooltip beside it. */

import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
export function duration(ms: number): string {
  if (ms < 1000) return t`${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return t`${seconds.toFixed(1).replace(/\.0$/, "")} s`;
  if (seconds < 60) return t`${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    const rest = Math.floor(seconds % 60);
    return rest === 0 ? t`${minutes} min` : t`${minutes} min ${rest} s`;
  }
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return rest === 0 ? t`${hours} h` : t`${hours} h ${rest} min`;
}

export function tokens(count: number): string {
  if (count < 1000) return `${count}`;
  if (count < 1_000_000) return `${(count / 1000).toFixed(1).replace(/\.0$/, "")}k`;
  return `${(count / 1_000_000).toFixed(2)}M`;
}

/** All digits of it, as the window's language writes numbers: the system's may be none that people know. */
export function exact(count: number): string {
  return count.toLocaleString(i18n.locale);
}

/** How much a model can read at once; nothing where nobody knows it, and said where it is only assumed. */
export function contextWords(model: {
  contextWindow: number | null;
  contextWindowAssumed: boolean;
}): string | null {
  if (!model.contextWindow) return null;
  const words = t`${tokens(model.contextWindow)} context`;
  return model.contextWindowAssumed ? t`${words}, assumed` : words;
}

/** Null is unknown and says so; an unknown cost is never shown as zero. */
export function cost(usd: number | null): string {
  if (usd === null) return t`cost unknown`;
  if (usd === 0) return "$0.00";
  return usd < 0.01 ? "< $0.01" : `$${usd.toFixed(2)}`;
}

/** The words of a sum of which more is unknown. What is less than a cent is at least something. */
export function atLeast(words: string): string {
  return words.startsWith("<") ? "> $0.00" : `≥ ${words}`;
}

export function bytes(count: number): string {
  if (count < 1024 * 1024) return t`${Math.round(count / 1024)} KiB`;
  if (count < 1024 ** 3) return t`${(count / 1024 ** 2).toFixed(1)} MiB`;
  return t`${(count / 1024 ** 3).toFixed(2)} GiB`;
}

export function folderName(path: string): string {
  return path.split(/[/\\]/).filter(Boolean).at(-1) ?? path;
}

/** "~/code/arki" for a path in a home folder, by the usual places of homes. */
export function homePath(path: string): string {
  return path.replace(/^(\/home\/[^/]+|\/Users\/[^/]+|\/root)(?=\/|$)/, "~");
}

export function clock(ts: number): string {
  return new Date(ts).toLocaleTimeString(undefined, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });
}

/** As short as it can be told: the time of today, the day of this week, else the date. */
export function shortTime(ts: number, now = Date.now()): string {
  const [then, today] = [new Date(ts), new Date(now)];
  const days = Math.round((dayStart(today) - dayStart(then)) / 86_400_000);
  if (days <= 0) return clock(ts).slice(0, 5);
  if (days < 7) return then.toLocaleDateString(i18n.locale, { weekday: "short" });
  const year = then.getFullYear() === today.getFullYear() ? undefined : "numeric";
  return then.toLocaleDateString(i18n.locale, { day: "numeric", month: "short", year });
}

const dayStart = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

export function exactTime(ts: number): string {
  return new Date(ts).toLocaleString();
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}
