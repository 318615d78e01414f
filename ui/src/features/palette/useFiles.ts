import { useEffect, useState } from "react";
import { useArki } from "../../platform/context";

/** A pause in typing. */
const debounceMs = 120;
const leastChars = 2;
const mostFiles = 6;

type Found = { of: string; paths: readonly string[] };
const nothing: Found = { of: "", paths: [] };

/** Files of the folder that is open by a part of their path, the best first; none where they can't be listed. */
export function useFiles(words: string, folder: string | null): readonly string[] {
  const { platform } = useArki();
  const [found, setFound] = useState(nothing);
  const typed = words.trim();
  const of = folder === null || typed.length < leastChars ? "" : `${folder}\n${typed}`;
  useEffect(() => {
    if (of === "") return setFound(nothing);
    let current = true;
    const timer = setTimeout(() => {
      platform.call("list_mentions", { typed }).then(
        (entries) => {
          const files = entries.filter(({ kind }) => kind === "file").slice(0, mostFiles);
          if (current) setFound({ of, paths: files.map(({ name }) => name) });
        },
        () => current && setFound(nothing),
      );
    }, debounceMs);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [platform, typed, of]);
  return found.of === of ? found.paths : nothing.paths;
}
