/** Times and sizes as people type and read them: "30 min", "64 KB". What is stored stays a number. Pure. */
import { figure, withDot } from "./typed_number";

/** The unit that a number is stored in. */
export type Measure = "seconds" | "bytes" | "megabytes";

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

/** Of what a setting counts, by how much of it is one. */
const units: Readonly<Record<Measure, { all: readonly Unit[]; one: number }>> = {
  seconds: { all: times, one: 1 },
  bytes: { all: sizes, one: 1 },
  megabytes: { all: sizes, one: 1024 ** 2 },
};

/** In the largest unit of which it is so many wholes. */
export function measured(value: number, measure: Measure): string {
  const { all, one } = units[measure];
  const whole = all.find(({ size }) => value > 0 && (value * one) % size === 0);
  const unit = whole ?? all.find(({ size }) => size === one);
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
