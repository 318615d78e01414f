import type { Event } from "./Event";
import type { PartialAnswer } from "./PartialAnswer";

export type SessionPage = { events: Event[], hasMore: boolean, partial: PartialAnswer | null };
