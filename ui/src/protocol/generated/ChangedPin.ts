export type ChangedPin = { kind: string, path: string, change: "added" | "changed" | "removed", diff: string | null };
