/** A call that a plan begins with, from the words that the engine has for it. Pure. */
import { mainArgument } from "../../components/tool_words";
import { isRecord } from "../../protocol/read";

type FirstCall = {
  tool: string;
  /** The argument that says most. */
  main: string;
  /** All of them, where that one doesn't say all. */
  args: Readonly<Record<string, unknown>> | null;
};

/** `run_command: make` where the command is all, else `read_file {"path":"a"}`; a long one is cut and no JSON. */
export function firstCall(text: string): FirstCall {
  const [, tool = "", colon, said = ""] = /^([^\s:]+)(:?) (.*)$/s.exec(text) ?? [];
  const args = colon === "" ? parsed(said) : null;
  if (args === null) return { tool: tool || text, main: said, args: null };
  const main = mainArgument(args);
  const [value = "", ...more] = Object.values(args);
  const saysAll = more.length === 0 && typeof value === "string" && main.includes(value);
  return { tool, main, args: saysAll ? null : args };
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
