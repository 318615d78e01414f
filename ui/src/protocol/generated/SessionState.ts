export type SessionState = "idle" | "running" | "waiting" | "done" | "failed" | "cancelled" | "interrupted";
