import { expect, it } from "vitest";
import { firstCall } from "./first_call";

const edits = { path: "a.txt", edits: [{ old_text: "a", new_text: "b" }] };

it.each([
  ['read_file {"path":"src/a.rs"}', { tool: "read_file", main: "src/a.rs", args: null }],
  [`edit_file ${JSON.stringify(edits)}`, { tool: "edit_file", main: "a.txt", args: edits }],
  ['search_files {"pattern":"x"}', { tool: "search_files", main: '"x"', args: null }],
  ['update_plan {"steps":[1,2]}', { tool: "update_plan", main: "2 steps", args: { steps: [1, 2] } }],
  ["list_files {}", { tool: "list_files", main: "", args: null }],
  ["run_command: make\n&& make test", { tool: "run_command", main: "make\n&& make test", args: null }],
  [
    'write_file {"path":"a.tx… (9 bytes more)',
    { tool: "write_file", main: '{"path":"a.tx… (9 bytes more)', args: null },
  ],
  ["Read", { tool: "Read", main: "", args: null }],
])("tells %s as a line", (text, call) => {
  expect(firstCall(text)).toEqual(call);
});
