/** The words for what Arki may do without asking. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { ApprovalMode } from "../protocol/generated";
import { type Needed, useCan } from "./can";

const modes: { value: ApprovalMode; label: MessageDescriptor; detail: MessageDescriptor }[] = [
  { value: "ask", label: msg`Ask first`, detail: msg`Arki asks before every edit and command.` },
  {
    value: "edits",
    label: msg`Edit freely`,
    detail: msg`Arki writes edits without asking, except to protected and secret files. It asks before commands.`,
  },
  {
    value: "all",
    label: msg`Do everything`,
    detail: msg`Arki asks for nothing. Denied actions stay denied. This window only.`,
  },
  {
    value: "plan",
    label: msg`Plan only`,
    detail: msg`Arki can only read: no edits, no commands, no network.`,
  },
];

/** Everything is granted only by whoever sits at the computer that it happens on. */
export const modeNeeds = (mode: ApprovalMode): Needed | undefined =>
  mode === "all" ? "trust_project" : undefined;

export function useModeChoices() {
  const can = useCan();
  return modeChoices().filter(({ value }) => {
    const needed = modeNeeds(value);
    return needed === undefined || can(needed);
  });
}

/** In the order from which one chooses. */
export const modeChoices = () =>
  modes.map(({ value, label, detail }) => ({ value, label: i18n._(label), detail: i18n._(detail) }));
