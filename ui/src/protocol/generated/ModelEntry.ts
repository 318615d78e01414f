export type ModelEntry = { id: string, provider: string, model: string, contextWindow: number | null, capabilities: string[] };
