/** The words for what hooks are and do. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { HookActionKind, HookEvent, HookOffReason, HookOutcome } from "../../protocol/generated";

export const events: Readonly<Record<HookEvent, MessageDescriptor>> = {
  SessionStart: msg`when a session starts`,
  UserPromptSubmit: msg`before a prompt reaches the model`,
  PreToolUse: msg`before a call`,
  PostToolUse: msg`after a call`,
  Stop: msg`before a run completes`,
  PreCommit: msg`before a commit`,
  Notification: msg`when a run ends or waits`,
};

export const actions: Readonly<Record<HookActionKind, MessageDescriptor>> = {
  command: msg`runs a command`,
  inject: msg`tells the model`,
  log: msg`writes to the log`,
  remind: msg`tells the model and the log`,
};

export const reasons: Readonly<Record<HookOffReason, MessageDescriptor>> = {
  untrusted: msg`off: this folder isn't trusted`,
  configuration_changed: msg`off: the folder's configuration changed since you approved it`,
  script_changed: msg`off: a script that it names changed since you approved it`,
  unpinned: msg`off: Arki can't pin what it runs. Open the folder's trust to turn it on`,
};

/** Each with its sign. */
export const outcomes: Readonly<Record<HookOutcome, MessageDescriptor>> = {
  passed: msg`✓ ran`,
  blocked: msg`✕ blocks it`,
  asked: msg`? asks you`,
  stopped: msg`✕ ends the run`,
  failed: msg`! failed`,
  timed_out: msg`! took too long`,
  over_limit: msg`! took more than a limit allows`,
  cancelled: msg`! was stopped`,
  interrupted: msg`! was interrupted`,
  off: msg`is off`,
};
