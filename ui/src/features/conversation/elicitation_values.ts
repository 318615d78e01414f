/** What stands in a server's form, and what of it is sent. Pure. */
import type { ElicitationField, ElicitationReply, ElicitationValue } from "../../protocol/generated";

/** Texts of the boxes, ticks, and the chosen of several. */
export type Filled = Readonly<Record<string, FilledValue | undefined>>;
export type FilledValue = string | boolean | readonly string[];

export function firstFilled(fields: readonly ElicitationField[]): Filled {
  return Object.fromEntries(fields.map((field) => [field.name, firstValue(field)]));
}

function firstValue({ kind, default: given }: ElicitationField): FilledValue {
  if (kind.type === "boolean") return given === true;
  if (kind.type === "choices") return Array.isArray(given) ? given.map(String) : [];
  return given === null || given === undefined ? "" : String(given);
}

/** By the fields' names; an empty box is not sent. What is no number goes as it is, for the engine to say so. */
export function filledIn(fields: readonly ElicitationField[], filled: Filled): ElicitationReply["values"] {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = sentValue(field, filled[field.name]);
      return value === undefined ? [] : [[field.name, value]];
    }),
  );
}

function sentValue(
  { kind, required }: ElicitationField,
  value: FilledValue | undefined,
): ElicitationValue | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  if (typeof value !== "string") return value.length === 0 && !required ? undefined : [...value];
  if (value === "") return undefined;
  if (kind.type !== "number") return value;
  const number = Number(value.trim());
  return value.trim() === "" || !Number.isFinite(number) ? value : number;
}
