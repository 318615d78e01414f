import type { KeySource } from "./KeySource";

export type ProviderEntry = { name: string, kind: string, baseUrl: string | null, isLocal: boolean, keySource: KeySource, keyEnv: string | null };
