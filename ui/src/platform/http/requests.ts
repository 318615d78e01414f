/** Requests to `arki serve`, all relative to the page: whatever path the server is below. */
import { t } from "@lingui/core/macro";
import type { BrowserAccess, BrowserSignIn, CommandError } from "../../protocol/generated";
import { isRecord } from "../../protocol/read";
import { asCommandError, windowError } from "../platform";
import { tellReach } from "./reach";

/** This tab: it has an open folder and frames of its own, and keeps them when it is loaded again. */
let tab: Promise<string> | null = null;

async function namedTab(): Promise<string> {
  const kept = sessionStorage.getItem("arki-tab");
  // A tab that is duplicated has the name of the one that it was made of.
  if (kept !== null && (await isOwn(kept))) return kept;
  const made = crypto.getRandomValues(new Uint32Array(4)).join("-");
  sessionStorage.setItem("arki-tab", made);
  await isOwn(made);
  return made;
}

/** Takes a name for as long as the page is open, unless another page has it. */
function isOwn(name: string): Promise<boolean> {
  const { locks } = navigator;
  if (locks === undefined) return Promise.resolve(true);
  return new Promise((resolve) => {
    const hold = (lock: Lock | null) => {
      resolve(lock !== null);
      return lock && new Promise<void>(() => undefined);
    };
    locks.request(`arki-tab ${name}`, { ifAvailable: true }, hold).catch(() => resolve(true));
  });
}

/** Null: nobody is signed in. */
export async function accessHere(): Promise<BrowserAccess | null> {
  const answer = await asked("v1/access", { method: "GET" });
  if (answer.status === 401) return null;
  return (await jsonOf(answer)) as BrowserAccess;
}

export async function signIn(by: BrowserSignIn): Promise<void> {
  await jsonOf(await posted("v1/window/sign-in", by));
}

export async function signOut(): Promise<void> {
  await jsonOf(await posted("v1/window/sign-out", {}));
}

/** Rejects with a `CommandError`. Whoever is signed out meanwhile is asked to sign in. */
export async function commanded(name: string, params: unknown): Promise<unknown> {
  const signal = name === "next_frame" ? AbortSignal.timeout(frameMs) : null;
  const answer = await posted(`v1/commands/${name}`, params, {}, signal);
  if (answer.status === 401) location.reload();
  return jsonOf(answer);
}

type Line = { step: unknown } | { result: unknown } | { error: unknown };

/** The same, with the steps that the command tells. */
export async function commandedInSteps(name: string, params: unknown, onStep: (step: never) => void) {
  const answer = await posted(`v1/commands/${name}`, params, { accept: "application/x-ndjson" });
  if (!answer.ok || answer.body === null) return jsonOf(answer);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    text += value ?? "";
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      const told: Line = JSON.parse(line);
      if ("step" in told) onStep(told.step as never);
      else if ("result" in told) return told.result;
      else throw told.error;
    }
    if (done) throw unreachable();
  }
}

/** A server that is there answers within 25 s, if only that nothing happened. */
const frameMs = 40_000;

async function posted(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  signal: AbortSignal | null = null,
): Promise<Response> {
  tab ??= namedTab();
  return asked(path, {
    method: "POST",
    headers: { "content-type": "application/json", "arki-client": await tab, ...headers },
    body: JSON.stringify(body),
    signal,
  });
}

async function asked(path: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(path, { ...init, credentials: "same-origin", cache: "no-store" }).catch(
    () => null,
  );
  // Between the page and the server there may be a tunnel, which answers for it.
  tellReach(answer !== null && !(answer.status >= 502 && answer.status <= 504));
  if (answer === null) throw unreachable();
  return answer;
}

async function jsonOf(answer: Response): Promise<unknown> {
  const said: unknown = await answer.json().catch(() => null);
  if (answer.ok) return said;
  throw isRecord(said) ? asCommandError(said) : unreachable();
}

const unreachable = (): CommandError =>
  windowError(t`Arki can't be reached.`, t`See whether “arki serve” still runs on its computer.`);
