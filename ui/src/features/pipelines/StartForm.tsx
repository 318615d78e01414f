import { plural, t } from "@lingui/core/macro";
import { type FormEvent, type KeyboardEvent, useId, useState } from "react";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { FieldRow } from "../../components/form/Fields";
import { matches } from "../../components/shortcuts";
import { useActs } from "../../components/useActs";
import { useArki } from "../../platform/context";
import type { PipelineEntry } from "../../protocol/generated";
import { Grants, ParamRows } from "./ParamRows";
import type { RunPlace } from "./useRun";
import { initialValues, toSend } from "./values";

type Props = { folder: string; entry: PipelineEntry; onStarted: (run: RunPlace) => void };

/** A pipeline's parameters and input, what starting it allows, and the button that does. */
export function StartForm({ folder, entry, onStarted }: Props) {
  const { platform } = useArki();
  const { busy, error, attempt } = useActs();
  const [values, setValues] = useState(() => initialValues(entry.params));
  const [input, setInput] = useState("");
  const grants = useId();
  const start = (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    const params = toSend(entry.params, values);
    void attempt(async () => {
      const sent = await platform.call("start_pipeline", {
        start: { folder, pipeline: entry.name, params, input },
      });
      if (sent.runId !== null) onStarted({ runId: sent.runId, sessionId: sent.sessionId });
    });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    if (!matches(event, "Mod+Enter")) return;
    event.preventDefault();
    event.currentTarget.requestSubmit();
  };
  return (
    <form
      className="pipeline-form"
      aria-label={t`Parameters and input`}
      onSubmit={start}
      onKeyDown={onKeyDown}
    >
      <ParamRows params={entry.params} values={values} onChange={setValues} />
      <FieldRow
        field={{
          key: "input",
          label: t`Input`,
          kind: "lines",
          rows: 4,
          dir: "auto",
          placeholder: t`Text for the first step (optional)`,
        }}
        value={input}
        onChange={setInput}
      />
      <Grants id={grants} entry={entry} />
      {error && <ErrorNote error={error} />}
      <div className="pipeline-buttons">
        <Button
          type="submit"
          look="primary"
          shortcut="Mod+Enter"
          label={t`Start pipeline`}
          disabled={busy}
          aria-describedby={grants}
        >
          {busy ? t`Starting…` : t`Start pipeline`}
        </Button>
        <span className="small secondary">
          {plural(entry.steps.length, { one: "# step", other: "# steps" })}
        </span>
      </div>
    </form>
  );
}
