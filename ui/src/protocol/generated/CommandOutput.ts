export type CommandOutput = { sessionId: string, runId: string, callId: string, text: string };
