import type { ChangedPin } from "./ChangedPin";
import type { Pin } from "./Pin";
import type { TrustState } from "./TrustState";

export type ProjectState = { path: string, name: string, trust: TrustState, enables: Pin[], changed: ChangedPin[] };
