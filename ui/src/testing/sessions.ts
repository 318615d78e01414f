import type { SessionSummary } from "../protocol/generated";
import { demoProject } from "./fake";

/** A session of the demo project in which nothing happens, but for what is given. */
export function sessionOf(given: Partial<SessionSummary> = {}): SessionSummary {
  return {
    sessionId: "s",
    title: "One",
    project: demoProject.path,
    createdAt: 0,
    updatedAt: 0,
    state: "idle",
    pendingApprovals: 0,
    origin: null,
    parent: null,
    agent: "arki",
    pinned: false,
    archived: false,
    ...given,
  };
}
