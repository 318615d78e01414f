export type Pin = { kind: string, path: string, hash: string };
