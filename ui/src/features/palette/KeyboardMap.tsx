import { t } from "@lingui/core/macro";
import type { Command } from "../../components/commands";
import { Dialog } from "../../components/Dialog";
import { showShortcut } from "../../components/shortcuts";
import { localKeys } from "./local_keys";
import "./palette.css";

type Props = { open: boolean; onClose: () => void; commands: Command[] };

export function KeyboardMap({ open, onClose, commands }: Props) {
  const everywhere = commands.flatMap((one) =>
    one.shortcut ? [{ section: t`Everywhere`, keys: one.shortcut, title: one.title }] : [],
  );
  const all = [...everywhere, ...localKeys()];
  const sections = [...new Set(all.map((one) => one.section))];
  return (
    <Dialog title={t`Keyboard`} open={open} onClose={onClose} wide>
      <div className="keymap">
        {sections.map((section) => (
          <section key={section}>
            <h3>{section}</h3>
            <dl>
              {all
                .filter((one) => one.section === section)
                .map((one) => (
                  <div key={one.title}>
                    <dt>{one.title}</dt>
                    <dd>
                      {one.keys.split(" ").map((key) => (
                        <kbd key={key}>{showShortcut(key)}</kbd>
                      ))}
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
