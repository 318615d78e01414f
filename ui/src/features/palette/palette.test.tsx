import { screen } from "@testing-library/react";
import { Command as Cmdk } from "cmdk";
import { expect, it } from "vitest";
import type { Command } from "../../components/commands";
import type { SearchHit } from "../../protocol/generated";
import { createFake } from "../../testing/fake";
import { render, renderOn } from "../../testing/render";
import { Hits } from "./groups";
import { Palette } from "./Palette";
import css from "./palette.css?raw";

const command = (title: string, foreign?: string): Command => ({
  id: title,
  section: "x",
  title,
  run: () => undefined,
  ...(foreign === undefined ? {} : { foreign }),
});

it("shows its own titles as they are, and what hides in a path of somebody else's", async () => {
  const commands = [
    command("Jetzt verdichten\u00a0…"),
    command("Zuletzt\u00a0geöffnet: ~/a\u202eb", "~/a\u202eb"),
  ];
  const nothing = () => undefined;
  await renderOn(
    createFake({}),
    <Palette
      open
      onClose={nothing}
      commands={commands}
      folder={null}
      onFile={nothing}
      onSession={nothing}
      onHit={nothing}
    />,
  );
  const titles = screen.getAllByRole("option").map((option) => option.textContent);
  expect(titles).toEqual(["Jetzt verdichten\u00a0…", "Zuletzt\u00a0geöffnet: ~/a[U+202E]b"]);
});

it("says in plain words what kind of thing was found, also of a kind that it doesn't know", () => {
  const hit = (seq: number, type: string): SearchHit => ({
    sessionId: "s",
    seq,
    ts: 0,
    type,
    title: "One",
    project: "/p",
    snippet: [{ text: "words", hit: false }],
  });
  const kinds = ["memory.observed", "context.compacted", "question.asked", "newer.kind"];
  const { container } = render(
    <Cmdk>
      <style>{css}</style>
      <Cmdk.List>
        <Hits hits={kinds.map((kind, at) => hit(at, kind))} onHit={() => undefined} />
      </Cmdk.List>
    </Cmdk>,
  );
  const shown = [...container.querySelectorAll(".palette-kind")];
  expect(shown.map((kind) => kind.textContent)).toEqual(["memory", "compacted", "question", "event"]);
  // A longer word in another language is broken, and stands over nothing.
  for (const kind of shown) expect(getComputedStyle(kind).overflowWrap).toBe("anywhere");
});
