/** The words for a past request: what its parts are, and how sure it is that this was sent. */
import { plural, t } from "@lingui/core/macro";
import { bytes, exact } from "../../components/format";
import type { RequestProof, SentPart, SentRequest, SentRole } from "../../protocol/generated";

export function roleWords({ role, isError }: Pick<SentPart, "role" | "isError">): string {
  return isError ? t`Failed result` : plainRole(role);
}

function plainRole(role: SentRole): string {
  switch (role) {
    case "system":
      return t`System prompt`;
    case "tool":
      return t`Tool`;
    case "options":
      return t`Parameters`;
    case "user":
      return t`User`;
    case "image":
      return t`Picture`;
    case "assistant":
      return t`Model`;
    case "thoughts":
      return t`Thoughts`;
    case "call":
      return t`Tool call`;
    case "result":
      return t`Tool result`;
    case "summary":
      return t`Summary`;
    case "failure":
      return t`Error`;
  }
}

export function proofWords(proof: RequestProof): string {
  switch (proof) {
    case "proven":
      return t`Proven: this is what was sent. Its SHA-256 is the one in the log.`;
    case "differs":
      return t`Not proven: Arki rebuilt this from the log, but its SHA-256 differs. This version of Arki writes the request differently, or a picture or secret in it is missing.`;
    case "head_unknown":
      return t`Not proven: the messages are from the log, but tools and parameters weren't kept with this request. The ones shown are today's.`;
    case "not_kept":
      return t`Nothing of this request was kept: an earlier version of Arki sent it beside the conversation.`;
  }
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
