/** Every shortcut there is, by the place where it works. */
import { t } from "@lingui/core/macro";
import type { Command } from "./commands";
import { localKeys } from "./keymap_keys";
import { showShortcut } from "./shortcuts";
import "./keymap.css";

export function Keymap({ commands }: { commands: readonly Command[] }) {
  const everywhere = commands.flatMap((one) =>
    one.shortcut ? [{ section: t`Everywhere`, keys: one.shortcut, title: one.title }] : [],
  );
  const all = [...everywhere, ...localKeys()];
  const sections = [...new Set(all.map((one) => one.section))];
  return (
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
  );
}
