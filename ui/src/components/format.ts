/** Time, tokens, money and paths in human units. The exact figure belongs in a tooltip beside it. */

import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";

/** As the window's language writes it: at most, and at least, so many digits of a fraction. */
export function rounded(count: number, most: number, least = 0): string {
  return i18n.number(count, { maximumFractionDigits: most, minimumFractionDigits: least });
}

export function duration(ms: number): string {
  if (ms < 1) return t`under 1 ms`;
  if (ms < 1000) return t`${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return t`${rounded(seconds, 1)} s`;
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
  if (count < 1_000_000) return `${rounded(count / 1000, 1)}k`;
  return `${rounded(count / 1_000_000, 2, 2)}M`;
}

/** All digits of it. */
export function exact(count: number): string {
  return i18n.number(count);
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

/** One that is unknown is no figure: what would say it leaves it out. */
export function cost(usd: number): string {
  return usd > 0 && usd < 0.01 ? `< ${dollars(0.01, 2)}` : dollars(usd, 2);
}

/** With all digits that a price per token leaves. */
export function exactCost(usd: number): string {
  return dollars(usd, 6);
}

function dollars(usd: number, digits: number): string {
  return i18n.number(usd, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

/** The words of a sum of which more is unknown. What is less than a cent is at least something. */
export function atLeast(words: string): string {
  return words.startsWith("<") ? `> ${dollars(0, 2)}` : `≥ ${words}`;
}

export function bytes(count: number): string {
  if (count < 1024 * 1024) return t`${Math.round(count / 1024)} KiB`;
  if (count < 1024 ** 3) return t`${rounded(count / 1024 ** 2, 1, 1)} MiB`;
  return t`${rounded(count / 1024 ** 3, 2, 2)} GiB`;
}

export function folderName(path: string): string {
  return path.split(/[/\\]/).filter(Boolean).at(-1) ?? path;
}

/** "~/code/arki" for a path in a home folder, by the usual places of homes. */
export function homePath(path: string): string {
  return path.replace(/^(\/home\/[^/]+|\/Users\/[^/]+|\/root)(?=\/|$)/, "~");
}

const toTheSecond = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;

export function clock(ts: number): string {
  return i18n.date(new Date(ts), toTheSecond);
}

/** As short as it can be told: the time of today, the day of this week, else the date. */
export function shortTime(ts: number, now = Date.now()): string {
  const [then, today] = [new Date(ts), new Date(now)];
  const days = Math.round((dayStart(today) - dayStart(then)) / 86_400_000);
  if (days <= 0) return clock(ts).slice(0, 5);
  if (days < 7) return i18n.date(then, { weekday: "short" });
  const year = then.getFullYear() === today.getFullYear() ? undefined : "numeric";
  return i18n.date(then, { day: "numeric", month: "short", year });
}

const dayStart = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

export function exactTime(ts: number): string {
  return i18n.date(new Date(ts), { year: "numeric", month: "numeric", day: "numeric", ...toTheSecond });
}
