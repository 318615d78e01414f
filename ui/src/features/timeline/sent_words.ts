/** The words for a past request: what its parts are, and how sure it is that this was sent. */
import { plural, t } from "@lingui/core/macro";
import { bytes, exact } from "../../components/format";
import type { RequestProof, SentPart, SentRequest, SentRole } from "../../protocol/generated";

export function roleWords({ role, isError }: Pick<SentPart, "role" | "isError">): string {
  return isError ? t`Failed result` : plainRole(role);
}

function plainRole(role: SentRole): string {
  const words: Record<SentRole, string> = {
    system: t`System prompt`,
    tool: t`Tool`,
    options: t`Parameters`,
    user: t`User`,
    image: t`Picture`,
    assistant: t`Model`,
    thoughts: t`Thoughts`,
    call: t`Tool call`,
    result: t`Tool result`,
    summary: t`Summary`,
    failure: t`Error`,
  };
  return words[role];
}

export function proofWords(proof: RequestProof): string {
  const words: Record<RequestProof, string> = {
    proven: t`Proven: this is what was sent. Its SHA-256 is the one in the log.`,
    differs: t`Not proven: Arki rebuilt this from the log, but its SHA-256 differs. This version of Arki writes the request differently, or a picture or secret in it is missing.`,
    head_unknown: t`Not proven: the messages are from the log, but tools and parameters weren't kept with this request. The ones shown are today's.`,
    not_kept: t`Nothing of this request was kept: an earlier version of Arki sent it beside the conversation.`,
  };
  return words[proof];
}

/** A fact each, in a line. */
export function factsOf({ provider, model, turn, purpose, messageCount, toolCount, bodyBytes }: SentRequest) {
  const facts = [
    `${provider}/${model}`,
    purpose === null ? t`Turn ${turn}` : "",
    plural(messageCount, { one: "# message", other: "# messages" }),
    plural(toolCount, { one: "# tool", other: "# tools" }),
    bodyBytes === null ? "" : sizeWords(bodyBytes),
  ];
  return facts.filter(Boolean).join(" · ");
}

export function sizeWords(size: number): string {
  return size < 1024 ? t`${exact(size)} bytes` : bytes(size);
}
