/** Times and sizes as people type and read them: "30 min", "64 KB". What is stored stays a number. Pure. */
import { figure, withDot } from "./typed_number";

/** The unit that a number is stored in. */
export type Measure = "seconds" | "bytes" | "megabytes";

const ends = /(Seconds|Bytes|Megabytes)$/;

/** By the end of a setting's name. */
export function measureOf(key: string): Measure | undefined {
  return ends.exec(key)?.[1]?.toLowerCase() as Measure | undefined;
}

type Unit = { name: string; typed: RegExp; size: number };

const times: readonly Unit[] = [
  { name: "h", typed: /^(h|std|hours?|stunden?)$/i, size: 3600 },
  { name: "min", typed: /^(min|minutes?|minuten)$/i, size: 60 },
  { name: "s", typed: /^(s|sek?|secs?|seconds?|sekunden?)$/i, size: 1 },
];
/** As systems count memory: a KB is 1024 bytes here, and a KiB too. */
const sizes: readonly Unit[] = [
  { name: "GB", typed: /^gi?b$/i, size: 1024 ** 3 },
  { name: "MB", typed: /^mi?b$/i, size: 1024 ** 2 },
  { name: "KB", typed: /^ki?b$/i, size: 1024 },
  { name: "B", typed: /^(b|bytes?)$/i, size: 1 },
];

/** Of what a setting counts, by how much of it is one, and the parts of a unit that are told: "90 s", but "1.5 MB". */
const units: Readonly<Record<Measure, { all: readonly Unit[]; one: number; parts: number }>> = {
  seconds: { all: times, one: 1, parts: 1 },
  bytes: { all: sizes, one: 1, parts: 2 },
  megabytes: { all: sizes, one: 1024 ** 2, parts: 2 },
};

/** In the largest unit that leaves no smaller part. */
export function measured(value: number, measure: Measure): string {
  const { all, one, parts } = units[measure];
  const fits = all.find(({ size }) => value * one >= size && (value * one * parts) % size === 0);
  const unit = fits ?? all.find(({ size }) => size === one);
  return unit ? `${figure((value * one) / unit.size)} ${unit.name}` : figure(value);
}

/** The number for what was typed, without a unit in the setting's own; what can't be read stays as it is. */
export function measuredFigure(typed: string, measure: Measure): string {
  const [, digits = "", name = ""] = /^\s*([\d.,]+)\s*([a-z]*)\.?\s*$/i.exec(typed) ?? [];
  const { all, one } = units[measure];
  const size = name === "" ? one : all.find((unit) => unit.typed.test(name))?.size;
  const count = Number(withDot(digits));
  if (digits === "" || size === undefined || Number.isNaN(count)) return typed;
  return `${Math.round(((count * size) / one) * 1e6) / 1e6}`;
}
