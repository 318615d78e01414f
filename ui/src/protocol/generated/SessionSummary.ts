import type { SessionState } from "./SessionState";

export type SessionSummary = { sessionId: string, title: string, project: string, createdAt: number, updatedAt: number, state: SessionState, pendingApprovals: number };
