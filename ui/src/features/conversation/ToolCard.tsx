import { i18n } from "@lingui/core";
import { plural, t } from "@lingui/core/macro";
import { useState } from "react";
import { Button } from "../../components/Button";
import { AnsiText } from "../../components/code/AnsiText";
import { beginning, plainText } from "../../components/code/ansi";
import { CommandText } from "../../components/code/CommandText";
import { VisibleText } from "../../components/code/VisibleText";
import { lazily } from "../../components/lazily";
import { ReasonText } from "../../components/reason/ReasonText";
import { mainArgument } from "../../components/tool_words";
import { WhyAsked } from "../../components/why/WhyAsked";
import { exitCode, isPassedCheck } from "../../protocol/checks";
import { isRecord, show } from "../../protocol/read";
import type { ToolItem } from "../../protocol/transcript";
import { CallCard, Pre, standingWords } from "./CallCard";
import { outputSoFar, previewOf, withoutEnding } from "./preview";

const EditOutcome = lazily(() => import("./EditOutcome").then((part) => part.EditOutcome));

/** Longer text is shown in part first; the log has it whole. */
const shownChars = 20_000;

type Props = {
  sessionId: string;
  item: ToolItem;
  output: string | null;
  /** The files that it has changed so far; none of it is in the project yet. */
  changed: readonly string[] | null;
  onReview: () => void;
  /** Only where trusting the folder would have let it happen. */
  onTrust: (() => void) | null;
};

export function ToolCard({ sessionId, item, output, changed, onReview, onTrust }: Props) {
  const why = item.state === "denied" && (
    <WhyAsked question={t`Why was this denied?`} sessionId={sessionId} callId={item.callId} />
  );
  // What others say is shown as it is: a file's escape characters are the file's.
  const isCommand = item.category === "exec";
  const command = commandOf(item);
  const result = withoutEnding(item);
  return (
    <CallCard
      item={item}
      standing={item.state}
      words={wordsOf(item)}
      title={(open) => (
        <>
          <code className="tool-main cut grow">
            {/* Open, the whole of it is below. */}
            {!(open && command !== null) && <VisibleText text={mainArgument(item.args)} />}
          </code>
          {item.category === "write" && <EditOutcome sessionId={sessionId} item={item} />}
        </>
      )}
      actions={
        onTrust && (
          <Button small onClick={onTrust}>
            {t`Trust folder`}
          </Button>
        )
      }
      closed={
        item.state === "denied" ? (
          <div className="tool-why">
            <p className="small secondary">
              <ReasonText reason={item.reason} sentences={item.sentences} />
            </p>
            {why}
          </div>
        ) : (
          (item.state === "running" && (output || changed) && (
            <>
              {output && (
                <Output
                  text={lastLines(outputSoFar(output))}
                  label={t`Output so far`}
                  isColoured={isCommand}
                />
              )}
              {changed && <ChangedSoFar files={changed} />}
            </>
          )) || <ResultPreview item={item} />
        )
      }
      asked={
        command === null ? (
          <Part title={t`Arguments`} value={item.args} />
        ) : (
          <Pre label={t`Command`}>
            <CommandText text={command} />
          </Pre>
        )
      }
      onReview={onReview}
    >
      {why}
      {output && <Output text={outputSoFar(output)} label={t`Output so far`} isColoured={isCommand} />}
      {item.elicitations.length > 0 && <Part title={t`The server asked you`} value={item.elicitations} />}
      {result !== null && result !== "" && (
        <Part
          title={item.truncated ? t`Result (shortened by the tool)` : t`Result`}
          value={result}
          isColoured={isCommand}
        />
      )}
    </CallCard>
  );
}

/** The command line, where the call says nothing else. */
function commandOf({ args }: ToolItem): string | null {
  if (!isRecord(args) || Object.keys(args).length > 1 || typeof args.command !== "string") return null;
  return args.command.length <= shownChars ? args.command : null;
}

/** More are named once the command has ended. */
const namedFiles = 5;

function ChangedSoFar({ files }: { files: readonly string[] }) {
  const more = files.length - namedFiles;
  return (
    <div className="tool-preview small">
      <p className="secondary">
        {plural(files.length, { one: "# file changed so far", other: "# files changed so far" })}
      </p>
      {files.slice(0, namedFiles).map((file) => (
        <code key={file} className="cut">
          <VisibleText text={file} />
        </code>
      ))}
      {more > 0 && (
        <p className="secondary">{t`… ${plural(more, { one: "# more file", other: "# more files" })}`}</p>
      )}
    </div>
  );
}

function wordsOf(item: ToolItem): string {
  const code = exitCode(item);
  if (item.state === "failed" && code !== null) return t`✕ exit code ${code}`;
  if (isPassedCheck(item)) return t`✓ passed`;
  return item.state === "done" ? "" : i18n._(standingWords[item.state]);
}

function ResultPreview({ item }: { item: ToolItem }) {
  const preview = previewOf(item);
  if (preview === null) return null;
  const { lines, hidden, before } = preview;
  const rest = hidden > 0 && (
    <p className="secondary">{t`… ${plural(hidden, { one: "# more line", other: "# more lines" })}`}</p>
  );
  return (
    <div className="tool-preview small">
      {before && rest}
      {lines.map((line, at) => (
        <code key={`${at}`} className="cut">
          {item.category === "exec" ? <AnsiText text={line} /> : <VisibleText text={line} />}
        </code>
      ))}
      {!before && rest}
    </div>
  );
}

type PartProps = { title: string; value: unknown; isColoured?: boolean };

function Part({ title, value, isColoured = false }: PartProps) {
  const [whole, setWhole] = useState(false);
  const full = show(value);
  const text = whole ? full : beginning(full, shownChars);
  return (
    <section>
      <h4 className="tool-part small secondary">{title}</h4>
      <Output text={text} label={title} isColoured={isColoured} />
      {text.length < full.length && (
        <Button small look="quiet" onClick={() => setWhole(true)}>
          {t`Show all of ${plural(plainText(full).length, { one: "# character", other: "# characters" })}`}
        </Button>
      )}
    </section>
  );
}

type OutputProps = { text: string; label: string; isColoured: boolean };

function Output({ text, label, isColoured }: OutputProps) {
  return <Pre label={label}>{isColoured ? <AnsiText text={text} /> : <VisibleText text={text} />}</Pre>;
}

function lastLines(text: string): string {
  return text.replace(/\n$/, "").split("\n").slice(-6).join("\n");
}
