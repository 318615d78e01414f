/** The values of a form made from a pipeline's parameters. Pure: whether they fit is the engine's to say. */
import type { PipelineEntry, PipelineParam } from "../../protocol/generated";

export type Values = Readonly<Record<string, string>>;

/** The defaults; `given` are values from before. */
export function initialValues(params: readonly PipelineParam[], given: Values = {}): Values {
  return Object.fromEntries(params.map(({ name, default: usual }) => [name, given[name] ?? usual ?? ""]));
}

/** The choices of a parameter, where it can't have any other value. */
export function choicesOf({ type, choices }: PipelineParam): readonly string[] {
  if (choices.length > 0) return choices;
  return type === "boolean" ? ["true", "false"] : [];
}

/** What is sent: a figure or a choice that was left empty has its default, an empty text is one. */
export function toSend(params: readonly PipelineParam[], values: Values): Record<string, string> {
  const isSaid = (param: PipelineParam, value: string) =>
    value !== "" || (param.type === "string" && param.default !== null && choicesOf(param).length === 0);
  return Object.fromEntries(
    params.flatMap((param): [string, string][] => {
      const value = values[param.name] ?? "";
      return isSaid(param, value) ? [[param.name, value]] : [];
    }),
  );
}

export type Problem = { line: number; column: number; what: string };

/** Where a definition is wrong; null where the engine says no place. */
export function problemAt(problem: string): Problem | null {
  const [, line, column, what] = /^(\d+):(\d+): (.*)$/s.exec(problem) ?? [];
  return what === undefined ? null : { line: Number(line), column: Number(column), what };
}

/** Those that match the words, by name or description. */
export function matching(entries: readonly PipelineEntry[], words: string): PipelineEntry[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const told = ({ name, description }: PipelineEntry) => `${name} ${description}`.toLowerCase();
  return entries.filter((entry) => wanted.every((word) => told(entry).includes(word)));
}
