/** Updates of the app: what is known of a newer version, and how far its installation is. */
import type { CommandError, UpdateState } from "../../protocol/generated";
import { asCommandError, type Platform } from "../platform";
import { createStore } from "./store";

export type UpdateStep = (
  | { at: "unknown" }
  | { at: "looking" }
  | { at: "found"; update: UpdateState }
  | { at: "installing"; version: string }
  | { at: "installed"; version: string }
) & { error: CommandError | null };

export function createUpdates(platform: Platform) {
  const state = createStore<UpdateStep>({ at: "unknown", error: null });
  const look = async () => {
    const { at } = state.get();
    if (!platform.can("look_for_update")) return;
    if (at === "looking" || at === "installing" || at === "installed") return;
    state.set({ at: "looking", error: null });
    try {
      state.set({ at: "found", update: await platform.call("look_for_update", {}), error: null });
    } catch (thrown) {
      state.set({ at: "unknown", error: asCommandError(thrown) });
    }
  };
  const install = async (version: string) => {
    const before = state.get();
    if (before.at !== "found") return;
    state.set({ at: "installing", version, error: null });
    try {
      await platform.call("install_update", { version });
      state.set({ at: "installed", version, error: null });
    } catch (thrown) {
      state.set({ ...before, error: asCommandError(thrown) });
    }
  };
  const restart = () => void platform.call("restart", {}).catch(() => undefined);
  return { state, look, install, restart };
}
