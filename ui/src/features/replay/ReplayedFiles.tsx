/** The files that a session changes, as they were at the moment that is shown. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { useEffect, useMemo, useRef, useState } from "react";
import { VisibleText } from "../../components/code/VisibleText";
import { HunkLines, plainLook } from "../../components/diff/HunkLines";
import { parseDiff } from "../../components/diff/parse";
import { ErrorNote } from "../../components/ErrorNote";
import { useArki, useOverview, useSessionPart } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, ReplayedContent, ReplayedFile, ReviewChange } from "../../protocol/generated";
import "./replay.css";
import { List } from "../../components/List";
import { madeFiles } from "./made_files";

const words: Record<ReviewChange, MessageDescriptor> = {
  added: msg`added`,
  deleted: msg`deleted`,
  modified: msg`changed`,
  renamed: msg`renamed`,
};

type Shown = { files: readonly ReplayedFile[]; made: ReadonlySet<string> };

/** Moments that are only passed over on the way to another one need no files. */
const restMs = 150;

export function ReplayedFiles({ sessionId }: { sessionId: string }) {
  const seq = useSessionPart(sessionId, (view) => view.replay?.seq ?? null);
  const { platform } = useArki();
  const { overview, error: untold } = useOverview(sessionId);
  const isKnown = overview !== null || untold !== null;
  const made = useRef<Promise<ReadonlySet<string>> | null>(null);
  const { value, error } = useAt<Shown>(isKnown ? seq : null, sessionId, async (at) => {
    const ask = (seq: number) => platform.call("replay_files", { sessionId, seq });
    // Asked once: it is the same at every moment.
    made.current ??= madeFiles(overview?.changedFiles ?? [], ask).catch(() => new Set<string>());
    const files = await ask(at);
    return { files, made: await made.current };
  });
  const [open, setOpen] = useState<string | null>(null);
  if (error) return <ErrorNote error={error} />;
  if (value === null || seq === null) return <p className="empty secondary">{t`Loading…`}</p>;
  const { files } = value;
  if (files.length === 0) return <p className="empty secondary">{t`This session changes no files.`}</p>;
  return (
    <section className="changed-files" aria-label={t`Files at event ${seq}`}>
      <h3>{t`Files at event ${seq}`}</h3>
      <List>
        {files.map(({ path, change }) => (
          <li key={path}>
            <div className="changed-file">
              <button
                type="button"
                className="changed-path mono grow"
                aria-expanded={open === path}
                onClick={() => setOpen(open === path ? null : path)}
              >
                <VisibleText text={path} />
              </button>
              <span className="secondary small">
                {change !== null ? i18n._(words[change]) : value.made.has(path) ? t`not there` : t`as before`}
              </span>
            </div>
            {open === path && <Content sessionId={sessionId} path={path} seq={seq} />}
          </li>
        ))}
      </List>
    </section>
  );
}

function Content({ sessionId, path, seq }: { sessionId: string; path: string; seq: number }) {
  const { platform } = useArki();
  const { value: content, error } = useAt<ReplayedContent>(seq, path, (at) =>
    platform.call("replay_file", { sessionId, seq: at, path }),
  );
  const hunks = useMemo(() => parseDiff(content?.diff ?? "")[0]?.hunks ?? [], [content]);
  if (error) return <ErrorNote error={error} />;
  if (content === null) return <p className="replayed-file secondary small">{t`Loading…`}</p>;
  const { diff, text, isCut } = content;
  return (
    <section className="replayed-file" aria-label={path}>
      {hunks.map((hunk) => (
        <HunkLines key={hunk.index} hunk={hunk} path={path} look={plainLook} />
      ))}
      {hunks.length === 0 && text !== null && (
        <pre className="replayed-text mono" tabIndex={0}>
          <VisibleText text={text} />
        </pre>
      )}
      {hunks.length === 0 && text === null && (
        <p className="secondary small">
          {diff === "" ? t`There is no text to show.` : t`Binary file changed.`}
        </p>
      )}
      {isCut && <p className="secondary small">{t`Only the beginning is shown.`}</p>}
    </section>
  );
}

/** Asks anew at each moment that one stays at; what is there stays until the answer has come. */
function useAt<T>(seq: number | null, of: string, ask: (seq: number) => Promise<T>) {
  const [got, setGot] = useState<{ value: T | null; error: CommandError | null }>({
    value: null,
    error: null,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `ask` is another one each time
  useEffect(() => {
    if (seq === null) return;
    let isWanted = true;
    const timer = setTimeout(async () => {
      const answer = await ask(seq).then(
        (value) => ({ value, error: null }),
        (thrown: unknown) => ({ value: null, error: asCommandError(thrown) }),
      );
      if (isWanted) setGot(answer);
    }, restMs);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [seq, of]);
  return got;
}
