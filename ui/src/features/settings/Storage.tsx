import { i18n } from "@lingui/core";
import { t } from "@lingui/core/macro";
import { useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { ErrorNote } from "../../components/ErrorNote";
import { bytes, exact, homePath } from "../../components/format";
import { List } from "../../components/List";
import { useActs } from "../../components/useActs";
import { useAnswer } from "../../components/useAnswer";
import { useArki } from "../../platform/context";
import type { StorageUse } from "../../protocol/generated";

/** The disk space that Arki takes, and tidying up at once. */
export function Storage() {
  const { platform } = useArki();
  const { answer: listed, error, reload } = useAnswer("storage_use", {});
  const [tidied, setTidied] = useState<{ freed: number } | null>(null);
  const { busy: isTidying, error: failure, attempt } = useActs();
  const tidy = () =>
    attempt(async () => {
      setTidied(null);
      const now = await platform.call("tidy_now", {});
      setTidied({ freed: listed === null ? 0 : Math.max(0, inUse(listed) - inUse(now)) });
      await reload();
    });
  return (
    <section className="settings-section" aria-labelledby="storage-title">
      <h3 id="storage-title">{t`Disk space`}</h3>
      {error && <ErrorNote error={error} />}
      {listed && <Used used={listed} />}
      <Button small onClick={() => void tidy()} disabled={isTidying}>
        {t`Tidy up now`}
      </Button>
      <p className="small secondary">
        {t`Removes unused data, file snapshots over their limit, and old sessions if you set a limit above. Arki also does this a minute after it starts.`}
      </p>
      <p role="status">
        {isTidying && t`Tidying up…`}
        {tidied &&
          (tidied.freed > 0
            ? t`Done. ${bytes(tidied.freed)} are free again.`
            : t`Done. There was nothing to remove.`)}
      </p>
      {failure && <ErrorNote error={failure} />}
    </section>
  );
}

const inUse = ({ databaseBytes, freeBytes }: StorageUse) => databaseBytes - freeBytes;

function Used({ used }: { used: StorageUse }) {
  const facts: [string, string][] = [
    [t`Database`, t`${bytes(used.databaseBytes)}, with ${exact(used.events)} events`],
    [
      t`of it, copies of files and pictures`,
      t`${bytes(used.contentsBytes)} of at most ${bytes(used.maxContentsBytes)}`,
    ],
    [t`of it, free for new data`, bytes(used.freeBytes)],
    [t`Not in the database yet`, bytes(used.journalBytes)],
    [t`Logs of the app`, bytes(used.logBytes)],
    [t`Folder`, homePath(used.folder)],
  ];
  if (used.diskFreeBytes !== null) facts.push([t`Free on this disk`, bytes(used.diskFreeBytes)]);
  if (used.tidiedAt !== null)
    facts.push([
      t`Last tidied up`,
      i18n.date(new Date(used.tidiedAt), { dateStyle: "medium", timeStyle: "short" }),
    ]);
  return (
    <>
      <dl className="storage">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className="secondary">{name}</dt>
            <dd>
              <VisibleText text={value} />
            </dd>
          </div>
        ))}
      </dl>
      {used.largest.length > 0 && (
        <details>
          <summary>{t`Largest sessions`}</summary>
          <List className="configured">
            {used.largest.map(({ sessionId, title, bytes: size }) => (
              <li key={sessionId}>
                <span dir="auto">
                  <VisibleText text={title === "" ? sessionId : title} />
                </span>{" "}
                <span className="secondary">{bytes(size)}</span>
              </li>
            ))}
          </List>
        </details>
      )}
    </>
  );
}
