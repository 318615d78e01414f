import { expect, it } from "vitest";
import type { ReplayedFile } from "../../protocol/generated";
import { madeFiles, mostMoments } from "./made_files";

type Change = { seq: number; path: string; text: string | null };

/** Tells of files as the engine does: what they are at a moment, against what they were before their first change. */
function world(began: Readonly<Record<string, string>>, changes: readonly Change[]) {
  const paths = [...new Set(changes.map((change) => change.path))];
  const asked: number[] = [];
  const filesAt = async (seq: number): Promise<ReplayedFile[]> => {
    asked.push(seq);
    return paths.map((path) => {
      const before = began[path] ?? null;
      const last = changes.findLast((change) => change.path === path && change.seq <= seq);
      const then = last === undefined ? before : last.text;
      if (then === before) return { path, change: null };
      return { path, change: before === null ? "added" : then === null ? "deleted" : "modified" };
    });
  };
  const changed = paths.map((path) => {
    const of = changes.filter((change) => change.path === path);
    return { path, changes: of.length, lastSeq: of.at(-1)?.seq ?? 0 };
  });
  return { changed, filesAt, asked };
}

it("finds the files that the session made, those that are gone again too", async () => {
  const { changed, filesAt, asked } = world({ "old.ts": "a", "back.ts": "a" }, [
    { seq: 2, path: "new.ts", text: "n" },
    { seq: 3, path: "old.ts", text: "b" },
    { seq: 4, path: "gone.ts", text: "g" },
    { seq: 5, path: "back.ts", text: "b" },
    { seq: 7, path: "gone.ts", text: null },
    { seq: 9, path: "back.ts", text: "a" },
  ]);
  expect([...(await madeFiles(changed, filesAt))]).toEqual(["new.ts", "gone.ts"]);
  expect(asked).toEqual([9, 6]);
});

it("asks once for all files of a rewind, and never for all moments of a long session", async () => {
  const rewound = world({}, [
    { seq: 2, path: "a.ts", text: "a" },
    { seq: 3, path: "b.ts", text: "b" },
    { seq: 8, path: "a.ts", text: null },
    { seq: 8, path: "b.ts", text: null },
  ]);
  expect((await madeFiles(rewound.changed, rewound.filesAt)).size).toBe(2);
  expect(rewound.asked).toEqual([8, 7]);
  const many = Array.from({ length: 100 }, (_, at) => [
    { seq: 10 * at + 1, path: `${at}`, text: "x" },
    { seq: 10 * at + 5, path: `${at}`, text: null },
  ]);
  const long = world({}, many.flat());
  await madeFiles(long.changed, long.filesAt);
  expect(long.asked).toHaveLength(mostMoments);
});
