/** A file's change as one, from the session's beginning until now. */
import { t } from "@lingui/core/macro";
import { useEffect, useMemo, useState } from "react";
import { Button } from "../../components/Button";
import { type DiffLook, HunkLines } from "../../components/diff/HunkLines";
import { type DiffHunk, parseDiff } from "../../components/diff/parse";
import { ErrorNote } from "../../components/ErrorNote";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, ReplayedContent } from "../../protocol/generated";

type Props = { sessionId: string; path: string; seq: number; onAsk?: (words: string) => void };

type Got = { content: ReplayedContent | null; error: CommandError | null };

const look: DiffLook = { layout: "unified", whitespace: "shown" };

export function NetDiff({ sessionId, path, seq, onAsk }: Props) {
  const { platform } = useArki();
  const [{ content, error }, setGot] = useState<Got>({ content: null, error: null });
  useEffect(() => {
    let isWanted = true;
    platform.call("replay_file", { sessionId, seq, path }).then(
      (content) => isWanted && setGot({ content, error: null }),
      (thrown: unknown) => isWanted && setGot({ content: null, error: asCommandError(thrown) }),
    );
    return () => {
      isWanted = false;
    };
  }, [platform, sessionId, seq, path]);
  const hunks = useMemo(() => parseDiff(content?.diff ?? "")[0]?.hunks ?? [], [content]);
  if (error) return <ErrorNote error={error} />;
  if (content === null) return <p className="replayed-file secondary small">{t`Loading…`}</p>;
  return (
    <section className="net-diff" aria-label={path}>
      {hunks.map((hunk) => (
        <div key={hunk.index} className="net-hunk">
          <HunkLines hunk={hunk} path={path} look={look} />
          {onAsk && (
            <Button small look="quiet" onClick={() => onAsk(about(path, hunk))}>
              {t`Ask for a change`}
            </Button>
          )}
        </div>
      ))}
      {hunks.length === 0 && <p className="secondary small">{t`There is no text to show.`}</p>}
      {content.isCut && <p className="secondary small">{t`Only the beginning is shown.`}</p>}
    </section>
  );
}

/** Lines of a hunk that are quoted; the model can read the others. */
const quotedLines = 8;

/** The selected lines, or else those that the hunk adds, quoted with their place. */
function about(path: string, hunk: DiffHunk): string {
  const selected = document.getSelection()?.toString().trim() ?? "";
  const added = hunk.lines.filter((line) => line.kind === "added");
  const words = selected === "" ? added.map((line) => line.text.trimEnd()) : selected.split("\n");
  const quote = words.slice(0, quotedLines).map((line) => `> ${line}\n`);
  return `\`${path}:${added[0]?.newNumber ?? hunk.newStart}\`\n${quote.join("")}\n`;
}
