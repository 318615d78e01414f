import { useActs } from "../../components/useActs";
import { useArki, useMemories } from "../../platform/context";

/** What is proposed and what is remembered, and deciding about it. */
export function useMemory(folder: string | null) {
  const arki = useArki();
  const { entries, error: notListed } = useMemories();
  const { error: failed, attempt: act } = useActs();
  const { platform } = arki;
  /** Whether it was done. */
  const attempt = async (work: () => Promise<unknown>) => {
    const isDone = await act(work);
    await arki.refreshMemory();
    return isDone;
  };
  return {
    pending: entries?.filter((one) => one.state === "pending") ?? null,
    accepted: entries?.filter((one) => one.state === "accepted") ?? [],
    error: failed ?? notListed,
    accept: (id: string, text: string | null) => attempt(() => platform.call("accept_memory", { id, text })),
    reject: (id: string) => attempt(() => platform.call("reject_memory", { id })),
    edit: (id: string, text: string) => attempt(() => platform.call("edit_memory", { folder, id, text })),
    remove: (id: string) => attempt(() => platform.call("remove_memory", { folder, id })),
  };
}
