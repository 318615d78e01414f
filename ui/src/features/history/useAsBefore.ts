/** Which of the files that a session changed are as they were before it: changed back, or restored by going back. */
import { useEffect, useState } from "react";
import { useArki } from "../../platform/context";
import type { ChangedFile } from "../../protocol/generated";

type Known = { of: string; paths: ReadonlySet<string> };

const nothing: Known = { of: "", paths: new Set() };

/** By path. The overview counts changes alone, so this asks for the files at the last one, anew after each. */
export function useAsBefore(
  sessionId: string,
  files: readonly ChangedFile[],
): ReadonlyMap<string, ChangedFile> {
  const { platform } = useArki();
  const [known, setKnown] = useState(nothing);
  const seq = Math.max(0, ...files.map((file) => file.lastSeq));
  // One change alone leaves no file as it was.
  const isAsked = files.some((file) => file.changes > 1);
  useEffect(() => {
    if (!isAsked) return;
    let isWanted = true;
    platform.call("replay_files", { sessionId, seq }).then(
      (then) => {
        const paths = then.filter(({ change }) => change === null).map(({ path }) => path);
        if (isWanted) setKnown({ of: sessionId, paths: new Set(paths) });
      },
      // Where it can't be told, they are listed as changed.
      () => isWanted && setKnown(nothing),
    );
    return () => {
      isWanted = false;
    };
  }, [platform, sessionId, seq, isAsked]);
  const paths = known.of === sessionId ? known.paths : nothing.paths;
  const isAsBefore = ({ path, changes }: ChangedFile) => changes > 1 && paths.has(path);
  return new Map(files.filter(isAsBefore).map((file) => [file.path, file]));
}
