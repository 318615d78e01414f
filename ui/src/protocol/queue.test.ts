import { describe, expect, it } from "vitest";
import { foldTranscript } from "../testing/conversation_fold";
import { eventLog } from "../testing/events";
import type { QueuedMessage, RestoredFile } from "./generated";
import { changed, moved, queueStep } from "./queue";
import { isTakenBack, type Rewind } from "./rewinds";

const unmade = { beforeHash: null, afterHash: null };
const nothing: readonly QueuedMessage[] = [];
const words = (queue: readonly QueuedMessage[]) => queue.map((one) => `${one.mode} ${one.text}`);

describe("the queue", () => {
  const filled = () => {
    const log = eventLog("s");
    for (const text of ["a", "b", "c"])
      log.add("message.queued", { messageId: text, text, mode: "follow_up" });
    return log;
  };

  it("takes the order, the edits and the modes that an event lists, and drops what it leaves out", () => {
    const { events, add } = filled();
    add("queue.changed", {
      queued: [
        { messageId: "c", mode: "steer" },
        { messageId: "a", mode: "follow_up", text: "A" },
      ],
      delivered: ["b"],
    });
    expect(words(events.reduce(queueStep, nothing))).toEqual(["steer c", "follow_up A"]);
  });

  it("loses the message that became a prompt, and knows each message once", () => {
    const { events, add } = filled();
    add("message.queued", { messageId: "b", text: "again", mode: "steer" });
    add("run.started", { prompt: "a", messageId: "a" });
    expect(words(events.reduce(queueStep, nothing))).toEqual(["follow_up b", "follow_up c"]);
  });

  it("leaves out a message whose words it has never heard, and what it cannot read", () => {
    const { events, add, addUnknown } = filled();
    addUnknown("message.queued", { text: 3 });
    add("queue.changed", {
      queued: [
        { messageId: "unknown", mode: "steer" },
        { messageId: "a", mode: "follow_up" },
      ],
    });
    expect(words(events.reduce(queueStep, nothing))).toEqual(["follow_up a"]);
  });

  it("is put in order and edited in place, and stays itself where nothing changes", () => {
    const queue = filled().events.reduce(queueStep, nothing);
    expect(words(moved(queue, "c", -1))).toEqual(["follow_up a", "follow_up c", "follow_up b"]);
    expect(moved(queue, "a", -1)).toBe(queue);
    expect(moved(queue, "c", 1)).toBe(queue);
    expect(words(changed(queue, "b", { mode: "steer", text: "B" }))[1]).toBe("steer B");
  });
});

describe("what was told while a run worked", () => {
  it("is shown as said when it was told, with its last words", () => {
    const { events, add } = eventLog("s");
    add("message.queued", { messageId: "m", text: "not yet", mode: "steer" });
    expect(foldTranscript(events).items).toEqual([]);
    add("queue.changed", { queued: [{ messageId: "m", mode: "steer", text: "now" }] });
    add("queue.changed", { queued: [], delivered: ["m", "lost"] });
    expect(foldTranscript(events).items).toMatchObject([
      { kind: "user", text: "now", steered: true },
      { kind: "notice" },
    ]);
  });
});

describe("isTakenBack", () => {
  /** What it means, the slow way: the events that count after each event, remembered whole. */
  const counting = (rewinds: readonly Rewind[], last: number): Set<number> => {
    const after: Set<number>[] = [new Set()];
    for (let seq = 1; seq <= last; seq += 1) {
      const rewind = rewinds.find((one) => one.seq === seq);
      const base = rewind ? after[rewind.toSeq] : after[seq - 1];
      after.push(new Set([...(base ?? []), seq]));
    }
    return after[last] ?? new Set();
  };

  it("agrees with remembering everything, for rewinds of rewinds too", () => {
    let random = 7;
    const below = (most: number) => {
      random = (random * 48_271) % 2_147_483_647;
      return random % most;
    };
    for (let round = 0; round < 300; round += 1) {
      const last = 4 + below(30);
      const rewinds: Rewind[] = [];
      for (let seq = 2; seq <= last; seq += 1) if (below(4) === 0) rewinds.push({ seq, toSeq: below(seq) });
      const counts = counting(rewinds, last);
      for (let seq = 1; seq <= last; seq += 1)
        expect([seq, isTakenBack(rewinds, seq)]).toEqual([seq, !counts.has(seq)]);
    }
  });
});

describe("session.rewound in the transcript", () => {
  it("takes back what came after, and its own rewind brings it back", () => {
    const { events, add } = eventLog("s");
    add("run.started", { prompt: "one" });
    add("run.started", { prompt: "two" });
    add("output.message", { role: "assistant", content: "hm" });
    const changes: RestoredFile[] = [
      { ...unmade, path: "a", action: "restore" },
      { ...unmade, path: "b", action: "keep" },
    ];
    const rewound = add("session.rewound", { toSeq: 1, files: true, conversation: true, changes });
    const taken = () => foldTranscript(events).items.map((item) => item.takenBack ?? false);
    expect(taken()).toEqual([false, true, true, false]);
    expect(foldTranscript(events)).toMatchObject({ lastPrompt: "one", run: "ended" });
    expect(foldTranscript(events).items[3]).toMatchObject({ messages: 2, restored: 1, toSeq: 1 });
    add("session.rewound", { toSeq: rewound.seq - 1, files: true, conversation: true });
    expect(taken()).toEqual([false, false, false, true, false]);
    expect(foldTranscript(events).lastPrompt).toBe("two");
  });

  it("leaves what was said alone where only files went back", () => {
    const { events, add } = eventLog("s");
    add("run.started", { prompt: "one" });
    add("session.rewound", { toSeq: 0, files: true, conversation: false });
    add("change.taken_back", { seq: 1, changes: [{ ...unmade, path: "a.rs", action: "restore" }] });
    const { items } = foldTranscript(events);
    expect(items[0]?.takenBack ?? false).toBe(false);
    expect(items[2]).toMatchObject({ kind: "notice", notice: { what: "reverted", paths: ["a.rs"] } });
  });
});
