/** A rule as a sentence, with what stands in code between backticks: "Always allow `cargo test` in this folder". */
import { t } from "@lingui/core/macro";
import type { KeepScope } from "../protocol/generated";
import type { Rule } from "../protocol/rules";
import { VisibleText } from "./code/VisibleText";
import { coded } from "./coded";
import { folderName } from "./format";

/** What stands between backticks is code, in which nothing hides. */
export function RuleSentence({ text }: { text: string }) {
  return coded(text, (part) => <VisibleText text={part} />);
}

/** `scope`: how long it would hold; null for one that stands in the configuration. `here`: the folder that is shown. */
export function ruleSentence(rule: Rule, scope: KeepScope | null, here: string | null): string {
  const what = [covered(rule), limits(rule)].filter(Boolean).join(" ");
  const place = where(rule, scope, here);
  if (rule.landsEffects) {
    return scope === "session"
      ? t`Allow ${what} ${place}, and land what they change without a review`
      : t`Always allow ${what} ${place}, and land what they change without a review`;
  }
  switch (rule.decision) {
    case "allow":
      return scope === "session" ? t`Allow ${what} ${place}` : t`Always allow ${what} ${place}`;
    case "preview":
      return t`Show a preview before ${what} ${place}`;
    case "approval":
      return t`Always ask before ${what} ${place}`;
    case "deny":
      return rule.command && rule.host === null
        ? t`Never run ${what} ${place}`
        : t`Never allow ${what} ${place}`;
  }
}

const shell = "run_command";

/** What it is about, narrowed by as many of its fields as it has. */
function covered({ tool, command, path, host }: Rule): string {
  if (command) {
    const line = command.map(quoted).join(" ");
    if (host !== null) {
      const place = hostsMeant(host);
      return t`network access to ${place} for commands that begin with \`${line}\``;
    }
    return tool === null || tool === shell
      ? t`commands that begin with \`${line}\``
      : t`\`${tool}\` with commands that begin with \`${line}\``;
  }
  if (path !== null) return touching(tool, path);
  if (host !== null) return reaching(tool, host);
  return t`\`${tool ?? ""}\``;
}

function touching(tool: string | null, path: string): string {
  switch (tool) {
    case null:
      return t`anything that touches \`${path}\``;
    case "edit_file":
      return t`edits to \`${path}\``;
    case "write_file":
      return t`writing \`${path}\``;
    case "apply_patch":
      return t`patches to \`${path}\``;
    default:
      return t`\`${tool}\` on \`${path}\``;
  }
}

function hostsMeant(host: string): string {
  const below = host.startsWith("*.") ? host.slice(2) : null;
  return below === null ? t`\`${host}\`` : t`every host below \`${below}\``;
}

function reaching(tool: string | null, host: string): string {
  const place = hostsMeant(host);
  return tool === null ? t`requests to ${place}` : t`\`${tool}\` requests to ${place}`;
}

function limits({ command, network, stdin }: Rule): string {
  if (!command) return "";
  if (network && stdin) return t`with network access and piped input`;
  if (stdin) return t`with piped input`;
  return network ? t`with network access` : "";
}

function where({ project }: Rule, scope: KeepScope | null, here: string | null): string {
  if (scope === "session") return t`for this session`;
  if (project === null) return t`in every folder`;
  return here === null || project === here ? t`in this folder` : t`in \`${folderName(project)}\``;
}

/** A word of a command as one would type it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
