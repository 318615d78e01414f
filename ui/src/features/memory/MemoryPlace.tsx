/** What is proposed to be remembered beyond its session, for the user to decide, and what they accepted. */
import { t } from "@lingui/core/macro";
import { useEffect } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { List } from "../../components/List";
import { Place } from "../../components/Place";
import { useActs } from "../../components/useActs";
import { useArki, useMemories } from "../../platform/context";
import type { MemoryEntry } from "../../protocol/generated";
import { Accepted, Candidate } from "./entries";
import "./memory.css";

type Props = {
  /** The project whose memory is shown beside the user's. */
  folder: string | null;
  open: boolean;
  /** To the session that it comes from. */
  onSession: (sessionId: string) => void;
  onSettings: () => void;
};

export function MemoryPlace({ folder, open, onSession, onSettings }: Props) {
  const arki = useArki();
  const memory = useMemory(folder);
  const { pending, accepted } = memory;
  useEffect(() => {
    if (open) void arki.refreshMemory();
  }, [arki, open]);
  const groups: [title: string, entries: MemoryEntry[]][] = [
    [t`In this project`, accepted.filter((one) => one.scope === "project")],
    [t`In all projects`, accepted.filter((one) => one.scope === "user")],
  ];
  return (
    <Place title={t`Memory`} open={open} look="column">
      <p className="secondary memory-lead">
        {t`Only what you accept is put into later prompts. It's kept in Markdown files that you can edit.`}
      </p>
      {memory.error && <ErrorNote error={memory.error} />}
      <section className="memory-section" aria-labelledby="memory-pending">
        <h3 id="memory-pending">{t`To review`}</h3>
        {pending === null && !memory.error && <p className="secondary">{t`Loading…`}</p>}
        {pending?.length === 0 && (
          <>
            <p className="secondary">
              {t`Nothing to review. With reflection on, Arki suggests here what may be worth remembering.`}
            </p>
            <div className="memory-actions">
              <Button small onClick={onSettings}>
                {t`Open settings`}
              </Button>
            </div>
          </>
        )}
        <List aria-label={t`To review`}>
          {pending?.map((entry) => (
            <Candidate
              key={entry.id}
              entry={entry}
              onAccept={(text) => memory.accept(entry.id, text)}
              onReject={() => memory.reject(entry.id)}
              onSession={onSession}
            />
          ))}
        </List>
      </section>
      {groups.map(
        ([title, entries]) =>
          entries.length > 0 && (
            <section key={title} className="memory-section" aria-label={title}>
              <h3>{title}</h3>
              <List aria-label={title}>
                {entries.map((entry) => (
                  <Accepted
                    key={entry.id}
                    entry={entry}
                    onEdit={(text) => memory.edit(entry.id, text)}
                    onRemove={() => memory.remove(entry.id)}
                  />
                ))}
              </List>
            </section>
          ),
      )}
    </Place>
  );
}

/** What is proposed and what is remembered, and deciding about it. */
function useMemory(folder: string | null) {
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
