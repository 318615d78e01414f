export type PartialAnswer = { runId: string, turn: number, text: string, thoughts: string };
