import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { ObservationType } from "../../protocol/generated";

const words: Readonly<Record<ObservationType, MessageDescriptor>> = {
  INTENT: msg`Intent`,
  PLAN: msg`Plan`,
  THOUGHTS: msg`Thoughts`,
  TOOL_CALL: msg`Tool call`,
  TOOL_EXECUTION: msg`Tool result`,
  SYNTHESIS: msg`Synthesis`,
  ERROR: msg`Error`,
  FINAL_RESPONSE: msg`Final response`,
  STATE_UPDATE: msg`State update`,
  LLM_STREAM_START: msg`Request`,
  LLM_STREAM_METADATA: msg`Tokens`,
  LLM_STREAM_ERROR: msg`Request failed`,
  LLM_STREAM_END: msg`Response`,
};

/** In the order in which they are offered. */
export const observationTypes = Object.keys(words) as readonly ObservationType[];

export const observationWords = (type: ObservationType): string => i18n._(words[type]);
