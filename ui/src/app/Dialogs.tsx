/** The dialogs that are opened from anywhere. */
import type { Command } from "../components/commands";
import { lazily } from "../components/lazily";
import { Once } from "../components/Once";
import { locales } from "./locale";
import type { Window } from "./use_window";
import type { OpenDialog } from "./window_state";

const SettingsDialog = lazily(() =>
  import("../features/settings/SettingsDialog").then((part) => part.SettingsDialog),
);
const TrustDialog = lazily(() => import("../features/trust/TrustDialog").then((part) => part.TrustDialog));
const FolderDialog = lazily(() => import("./FolderDialog").then((part) => part.FolderDialog));
const Palette = lazily(() => import("../features/palette/Palette").then((part) => part.Palette));
const KeyboardMap = lazily(() => import("../features/palette/KeyboardMap").then((part) => part.KeyboardMap));

/** What the settings show first, for each dialog that they are. */
const settingsPages: { [dialog in NonNullable<OpenDialog>]?: "models" | "rules" | "memory" | "desktop" } = {
  settings: "models",
  rules: "rules",
  reflection: "memory",
  updates: "desktop",
};

export function Dialogs({ window, commands }: { window: Window; commands: Command[] }) {
  const { dialog, project } = window;
  const close = () => window.setDialog(null);
  const first = dialog === null ? undefined : settingsPages[dialog];
  return (
    <>
      <Once when={project !== null && dialog === "trust"}>
        {project && <TrustDialog project={project} open={dialog === "trust"} onClose={close} />}
      </Once>
      <Once when={dialog === "folder"}>
        <FolderDialog open={dialog === "folder"} onClose={close} onOpen={window.folder.open} />
      </Once>
      <Once when={first !== undefined}>
        <SettingsDialog
          open={first !== undefined}
          onClose={close}
          first={first ?? "models"}
          keyOf={window.keyOf}
          folder={window.project?.path ?? null}
          onReviewMemory={() => {
            close();
            window.openPlace("memory");
          }}
          onCall={(call) => {
            close();
            window.history.show(call.sessionId, call.seq, call.project);
          }}
          nextFocus={window.message}
          {...window.look}
          language={window.language}
          languages={locales}
          onLanguage={window.setLanguage}
        />
      </Once>
      <Once when={dialog === "palette"}>
        <Palette
          open={dialog === "palette"}
          onClose={close}
          commands={commands}
          folder={window.shown?.folder ?? null}
          onFile={(path) =>
            window.history.open("open_in_editor", { folder: window.shown?.folder ?? "", path })
          }
          onSession={window.go}
          onHit={(hit) => window.history.show(hit.sessionId, hit.seq, hit.project)}
        />
      </Once>
      <Once when={dialog === "keys"}>
        <KeyboardMap open={dialog === "keys"} onClose={close} />
      </Once>
    </>
  );
}
