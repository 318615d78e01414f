/** Which files a session made: where one of these is as the session found it, it isn't there. */
import type { ChangedFile, ReplayedFile } from "../../protocol/generated";

/** More moments are not looked at: the files that are left then are told as any other. */
export const mostMoments = 20;

/**
 * By path. A file differs from what the session found right after its last change or, if that change was the way back,
 * right before it: there the engine says if it was added. Most differ at the end, so a session is looked at there first.
 */
export async function madeFiles(
  changed: readonly ChangedFile[],
  filesAt: (seq: number) => Promise<readonly ReplayedFile[]>,
): Promise<ReadonlySet<string>> {
  const made = new Set<string>();
  const left = new Map(changed.map((file) => [file.path, file.lastSeq - 1]));
  const look = async (seq: number) => {
    for (const { path, change } of await filesAt(seq)) {
      if (change === "added") made.add(path);
      if (change !== null) left.delete(path);
    }
  };
  if (changed.length > 0) await look(Math.max(...changed.map((file) => file.lastSeq)));
  for (let moments = 1; moments < mostMoments; moments += 1) {
    const [seq] = left.values();
    if (seq === undefined) break;
    await look(seq);
    for (const [path, before] of left) if (before === seq) left.delete(path);
  }
  return made;
}
