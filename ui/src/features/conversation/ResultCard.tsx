/** What the last run came to, in one line that leads to the result; until something else is said. */
import { plural, t } from "@lingui/core/macro";
import { useEffect } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { cost, duration } from "../../components/format";
import { useArki, useSessionView } from "../../platform/context";
import { useStore } from "../../platform/stores/store";
import { type Check, lastChecks, lastRunEnd } from "../../protocol/checks";
import type { SessionLines } from "../../protocol/generated";

type Props = { sessionId: string; onReview: () => void };

export function ResultCard({ sessionId, onReview }: Props) {
  const arki = useArki();
  const lines = useStore(arki.lines.store).get(sessionId) ?? null;
  const { transcript, window } = useSessionView(sessionId);
  useEffect(() => arki.lines.want([sessionId]), [arki, sessionId]);
  const end = lastRunEnd(window.events);
  if (lines === null || end === null) return null;
  const told = [
    filesWords(lines),
    ...lastChecks(transcript).slice(0, mostChecks).map(checkWords),
    duration(end.ms),
    end.costUsd === null ? "" : cost(end.costUsd),
  ];
  return (
    <p className="foot-note small">
      <span className="grow">
        <VisibleText text={told.filter((words) => words !== "").join(" · ")} />
      </span>
      <Button small onClick={onReview}>{t`Show result`}</Button>
    </p>
  );
}

const mostChecks = 2;

const checkWords = ({ name, passed }: Check) => (passed ? t`${name} passed` : t`${name} failed`);

export function filesWords({ files, added, removed }: SessionLines): string {
  const count = plural(files, { one: "# file", other: "# files" });
  const lines = [added ? `+${added}` : "", removed ? `−${removed}` : ""].filter(Boolean).join(" ");
  return lines === "" ? count : `${count}, ${lines}`;
}
