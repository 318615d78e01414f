import type { CommandPreview } from "./CommandPreview";
import type { Preview } from "./Preview";

export type ApprovalSummary = { approvalId: string, sessionId: string, runId: string, callId: string, toolId: string, args: unknown, risk: string, reason: string, requestedAt: number, preview: Preview | null, command: CommandPreview | null };
