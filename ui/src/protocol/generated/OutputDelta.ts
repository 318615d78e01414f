import type { TokenType } from "./TokenType";

export type OutputDelta = { sessionId: string, runId: string, turn: number, tokenType: TokenType, text: string };
