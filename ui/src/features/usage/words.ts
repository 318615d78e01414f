/** The figures of a sum in words: "$0.07", "≥ 18.2k", "unknown". */
import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { atLeast, cost, exact, exactCost, folderName, homePath, tokens } from "../../components/format";
import { isUnknown, type Sum } from "./report";

type Figure = { words: string; exact: string };

export function costFigure(sum: Sum): Figure {
  return figure(sum, cost(sum.known), exactCost(sum.known));
}

export function tokenFigure(sum: Sum): Figure {
  return figure(sum, tokens(sum.known), exact(sum.known));
}

function figure(sum: Sum, words: string, all: string): Figure {
  if (!sum.partial) return { words, exact: all };
  if (isUnknown(sum)) return { words: t`unknown`, exact: t`Unknown for at least one request` };
  return { words: atLeast(words), exact: t`At least ${all}: unknown for at least one request` };
}

/** A day or a month of a report, in the window's language. */
export function dayWords(key: string, long: boolean): string {
  const isMonth = key.length === "2026-11".length;
  const month = long ? "long" : "short";
  const form: Intl.DateTimeFormatOptions = isMonth
    ? { year: "numeric", month }
    : { month, day: "numeric", ...(long ? { weekday: "short", year: "numeric" } : {}) };
  const date = new Date(`${isMonth ? `${key}-01` : key}T00:00:00Z`);
  return i18n.date(date, { ...form, timeZone: "UTC" });
}

/** As the engine calls answers whose request is not in the log. */
export function modelWords(model: string): string {
  return model === "other" ? t`Unknown model` : model;
}

export function projectWords(path: string): string {
  return path === "" ? t`Unknown folder` : folderName(path);
}

export const projectPlace = (path: string) => homePath(path);
