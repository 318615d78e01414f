import { useCallback, useEffect, useState } from "react";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, UsageReport } from "../../protocol/generated";

/** Null until it has come; asked for anew each time the view opens. */
export function useReport(open: boolean) {
  const { platform } = useArki();
  const [report, setReport] = useState<UsageReport | null>(null);
  const [error, setError] = useState<CommandError | null>(null);
  const load = useCallback(async () => {
    setError(null);
    try {
      setReport(await platform.call("usage_report", {}));
    } catch (thrown) {
      setError(asCommandError(thrown));
    }
  }, [platform]);
  useEffect(() => {
    if (open) void load();
  }, [open, load]);
  return { report, error, load };
}
