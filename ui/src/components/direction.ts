/**
 * Which way the window is written. `app/locale` sets it with the language; what lays out by hand asks here. Style sheets
 * name sides by the way one reads, and multiply by `--forth` where there is no logical property. What people and models
 * write has `dir="auto"`. `testing/directions.test.ts` finds what says left or right.
 */

export type Direction = "ltr" | "rtl";

/** Languages written from right to left, unless their tag names a script. */
const rightToLeft = /^(ar|ckb|dv|fa|he|iw|ps|sd|ug|ur|yi)$/;
const scripts = /^(Adlm|Arab|Hebr|Nkoo|Rohg|Syrc|Thaa)$/;

export function directionOf(locale: string): Direction {
  const [language = "", ...rest] = locale.split("-");
  const script = rest.find((part) => part.length === 4);
  const isRtl = script === undefined ? rightToLeft.test(language) : scripts.test(script);
  return isRtl ? "rtl" : "ltr";
}

export const direction = (): Direction => (document.documentElement.dir === "rtl" ? "rtl" : "ltr");

/** 1 where one reads to the right, -1 where one reads to the left. */
export const forth = (): 1 | -1 => (direction() === "rtl" ? -1 : 1);

/** An arrow key as it were with a window that is read to the right: "ArrowRight" leads on. */
export function readingKey(key: string): string {
  if (direction() === "ltr") return key;
  return { ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" }[key] ?? key;
}
