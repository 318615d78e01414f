export type Sent = { sessionId: string, runId: string };
