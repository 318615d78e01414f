/** The commands that fit what is typed, best first, by section. Pure. */
import { defaultFilter } from "cmdk";
import type { Command } from "../../components/commands";

/** So that what was found in the sessions is in sight too. */
const mostWhileSearching = 6;
/** Of each section before anything is typed: some providers have hundreds of models, and all would have to be drawn. */
const mostAtRest = 20;

export function matching(commands: readonly Command[], words: string) {
  const wanted = words.trim();
  const fitting =
    wanted === ""
      ? commands
      : commands
          .map((command) => ({ command, score: defaultFilter(command.title, wanted, [command.id]) }))
          .filter((one) => one.score > 0)
          .sort((a, b) => b.score - a.score)
          .slice(0, mostWhileSearching)
          .map((one) => one.command);
  const sections = [...new Set(fitting.map((command) => command.section))];
  return sections.map((section) => ({
    section,
    commands: fitting.filter((command) => command.section === section).slice(0, mostAtRest),
  }));
}

/** What is most often wanted next, best first. */
const likely = ["next", "resume", "new", "changes", "commit", "find", "open", "settings"];
const mostLikely = 6;

/** What was run last, then what is likely: one press away before anything is typed. */
export function suggested(commands: readonly Command[], used: readonly string[]): Command[] {
  const ids = [...new Set([...used, ...likely])];
  return ids.flatMap((id) => commands.find((one) => one.id === id) ?? []).slice(0, mostLikely);
}
