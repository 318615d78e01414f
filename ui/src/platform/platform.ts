/**
 * The one door between the window and the world: the engine's commands, its frames, and links. Features and
 * components never import Tauri; tests and visual work put an in-memory fake behind the same type.
 */
import type {
  AskedOfWindow,
  CommandError,
  Commands,
  DragStep,
  Frame,
  ProjectState,
} from "../protocol/generated";
import { isRecord } from "../protocol/read";

export type Params<Name extends keyof Commands> = Commands[Name]["params"];
export type Answer<Name extends keyof Commands> = Commands[Name]["result"];
type StepOf<Name extends keyof Commands> = Commands[Name] extends { step: infer Step } ? Step : never;

/** The commands that tell nothing before their result. */
export type CommandName = {
  [Name in keyof Commands]: Commands[Name] extends { step: unknown } ? never : Name;
}[keyof Commands];

export type Platform = {
  /** Rejects with a `CommandError`. */
  call<Name extends CommandName>(name: Name, params: Params<Name>): Promise<Answer<Name>>;
  /** Whether a command can be asked from here. One that tells steps goes by its own name, too. */
  can(name: keyof Commands): boolean;
  /** Files as a page is given them, where no system tells of their places; null where one does. */
  pageFiles: PageFiles | null;
  /** Tells each step as it ends, the first that fails as the last. Resolves to whether none failed. */
  testProvider(
    params: Params<"test_provider">,
    onStep: (step: StepOf<"test_provider">) => void,
  ): Promise<Answer<"test_provider">>;
  /** As `testProvider`. */
  testMcpServer(
    params: Params<"test_mcp_server">,
    onStep: (step: StepOf<"test_mcp_server">) => void,
  ): Promise<Answer<"test_mcp_server">>;
  /** Resolves once the subscription stands, so that nothing between a fetch and the first frame is lost. */
  subscribe(onFrame: (frame: Frame) => void): Promise<() => void>;
  /** A folder was opened from outside the window: by a second start of the app. */
  onProject(opened: (project: ProjectState) => void): Promise<() => void>;
  /**
   * The user wants something from outside the page: to see a session, by a click on a notification, by a link or because
   * the window was opened for it; to run a command, by the menu bar or the tray. Also what was asked for before anybody
   * listened.
   */
  onAsked(hear: (asked: AskedOfWindow) => void): Promise<() => void>;
  /** Files are dragged over the window. What was dropped is asked for with `take_dropped`. */
  onDrag(heard: (step: DragStep) => void): Promise<() => void>;
  /** Draws everything that many times as large. */
  setZoom(factor: number): Promise<void>;
  /** Shows a number on the app's icon, where the desktop does that. Null shows none. */
  setBadge(count: number | null): Promise<void>;
  /** Opens in the user's browser. The caller has checked the scheme with `safeLink`. */
  openLink(url: string): Promise<void>;
  /** Waits for the next frame. A hidden window paints nothing, but goes on. */
  painted(): Promise<void>;
};

export type PageFiles = {
  /** Empty: the user changed their mind. */
  choose(): Promise<File[]>;
  /** Those that were dropped since this was last asked. */
  takeDropped(): File[];
};

/** Whatever was thrown, in the shape the window shows. */
export function asCommandError(thrown: unknown): CommandError {
  if (isRecord(thrown) && typeof thrown.code === "string") {
    return {
      code: thrown.code,
      message: typeof thrown.message === "string" ? thrown.message : thrown.code,
      hint: typeof thrown.hint === "string" ? thrown.hint : "",
    };
  }
  return windowError(thrown instanceof Error ? thrown.message : String(thrown), "");
}

/** Why it failed; null where it didn't. */
export function failureOf(work: Promise<unknown>): Promise<CommandError | null> {
  return work.then(() => null, asCommandError);
}

/** What the window itself can't do, in the user's language: the engine's errors are English, whatever it is. */
export function windowError(message: string, hint: string): CommandError {
  return { code: "WINDOW", message, hint };
}
