import { useState } from "react";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, Resolution } from "../../protocol/generated";
import { forgetDraft } from "./drafts";

export type Sending =
  | { state: "deciding"; error: CommandError | null }
  | { state: "sending" | "sent"; error: null };

/** Sends a resolution. What failed can be sent again; what was sent stays until the engine says it is resolved. */
export function useResolve(approvalId: string) {
  const arki = useArki();
  const [sending, setSending] = useState<Sending>({ state: "deciding", error: null });
  const send = async (resolution: Resolution) => {
    setSending({ state: "sending", error: null });
    try {
      await arki.platform.call("resolve_approval", { approvalId, resolution });
      forgetDraft(approvalId);
      setSending({ state: "sent", error: null });
    } catch (thrown) {
      setSending({ state: "deciding", error: asCommandError(thrown) });
    }
    // Whether it worked, was stale or was answered elsewhere: the inbox is the engine's.
    await arki.refreshApprovals().catch(() => undefined);
  };
  return { sending, send };
}
