import type { CommandOutput } from "./CommandOutput";
import type { Event } from "./Event";
import type { OutputDelta } from "./OutputDelta";

export type Frame = { events: Event[], deltas: OutputDelta[], commandOutput: CommandOutput[], missed: boolean, };
