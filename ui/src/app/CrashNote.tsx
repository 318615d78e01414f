/** What a crash of Arki left, until the user has dealt with it. It is on this computer alone, and stays there. */
import { t } from "@lingui/core/macro";
import { useEffect, useState } from "react";
import { Button } from "../components/Button";
import { copyText } from "../components/copy";
import { exactTime } from "../components/format";
import { useArki } from "../platform/context";
import type { CrashReport } from "../protocol/generated";
import "./crash_note.css";

export function CrashNote() {
  const { platform } = useArki();
  const [report, setReport] = useState<CrashReport | null>(null);
  useEffect(() => {
    platform.call("crash_report", {}).then(setReport, () => undefined);
  }, [platform]);
  if (report === null) return null;
  const remove = () => {
    setReport(null);
    void platform.call("remove_crash_reports", { until: report.at }).catch(() => undefined);
  };
  return (
    <section className="crash-note" aria-label={t`Crash report`}>
      <p>
        {t`! A part of Arki crashed on ${exactTime(report.at)}.`}{" "}
        <span className="secondary">
          {t`Your sessions are in the log. The report is on this computer only; it helps whoever mends Arki.`}
        </span>
      </p>
      <details>
        <summary className="small">{t`Show report`}</summary>
        <pre className="output" tabIndex={0} lang="en">
          {report.text}
        </pre>
      </details>
      <div className="error-actions">
        <Button small onClick={() => copyText(report.text)}>
          {t`Copy report`}
        </Button>
        <Button small look="quiet" onClick={remove}>
          {t`Remove report`}
        </Button>
      </div>
    </section>
  );
}
