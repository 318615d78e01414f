/** What a session's changes come to, asked for anew after each. */
import { useEffect, useState } from "react";
import { useArki } from "../../platform/context";
import type { ChangedFile, SessionResult } from "../../protocol/generated";

type Known = { of: string; result: SessionResult | null };

/** Null until it is told, and where it can't be. `lastSeq`: of anything that may have made it another one. */
export function useResult(
  sessionId: string,
  files: readonly ChangedFile[],
  lastSeq: number,
): SessionResult | null {
  const { platform } = useArki();
  const [known, setKnown] = useState<Known>({ of: sessionId, result: null });
  const seq = Math.max(0, ...files.map((file) => file.lastSeq));
  // biome-ignore lint/correctness/useExhaustiveDependencies: `seq` and `lastSeq` say when it is another one
  useEffect(() => {
    if (seq === 0) return;
    let isWanted = true;
    platform.call("session_result", { sessionId }).then(
      (result) => isWanted && setKnown({ of: sessionId, result }),
      // Where it can't be told, the files are listed as changed.
      () => isWanted && setKnown({ of: sessionId, result: null }),
    );
    return () => {
      isWanted = false;
    };
  }, [platform, sessionId, seq, lastSeq]);
  return known.of === sessionId ? known.result : null;
}
