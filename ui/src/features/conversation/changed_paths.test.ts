import { expect, it } from "vitest";
import { changedPaths } from "./CallCard";

const change = (path: string, beforeHash: string | null, afterHash: string | null, hunks: number[] = []) => ({
  ...{ path, beforeHash, afterHash, hunks, callId: "c" },
});

it("a moved file is one file, whoever moved it, and also where its lines changed", () => {
  const moved = [change("old.ts", "1", null), change("new.ts", null, "1")];
  expect(changedPaths({ category: "exec", changes: moved })).toEqual(["new.ts"]);
  const edited = [change("old.ts", "1", null), change("new.ts", null, "2", [1])];
  expect(changedPaths({ category: "write", changes: edited })).toEqual(["new.ts"]);
});

it("what was removed or made by itself is a file of its own", () => {
  const apart = [change("gone.ts", "1", null), change("new.ts", null, "2")];
  expect(changedPaths({ category: "exec", changes: apart })).toEqual(["gone.ts", "new.ts"]);
  expect(changedPaths({ category: "write", changes: [change("gone.ts", "1", null, [1])] })).toEqual([
    "gone.ts",
  ]);
  const formatted = [change("a.ts", "1", "2", [1]), change("a.ts", "2", "3")];
  expect(changedPaths({ category: "write", changes: formatted })).toEqual(["a.ts"]);
});
