/** Every shortcut there is, by the place where it works. Those that work everywhere can be changed. */
import { t } from "@lingui/core/macro";
import { EveryCommand } from "./EveryCommand";
import { localKeys } from "./keymap_keys";
import { showShortcut } from "./shortcuts";
import "./keymap.css";

export function Keymap() {
  const local = localKeys();
  const sections = [...new Set(local.map((one) => one.section))];
  return (
    <>
      <EveryCommand title={t`Everywhere`} />
      <div className="keymap">
        {sections.map((section) => (
          <section key={section}>
            <h3>{section}</h3>
            <dl>
              {local
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
    </>
  );
}
