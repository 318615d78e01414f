export type Event = { eventId: string, runId: string | null, sessionId: string, seq: number, ts: number, type: string, payload: Record<string, unknown>, prevHash: string, hash: string, };
