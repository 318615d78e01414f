/** Every shortcut there is, by the place where it works. Those that work everywhere can be changed. */
import { t } from "@lingui/core/macro";
import { EveryCommand } from "./EveryCommand";
import { groupsOf, KeymapColumns } from "./KeymapColumns";
import { localKeys } from "./keymap_keys";
import { showShortcut } from "./shortcuts";
import "./keymap.css";

export function Keymap() {
  const groups = groupsOf(localKeys(), (one) => (
    <div key={one.title}>
      <dt>{one.title}</dt>
      <dd>
        {one.keys.split(" ").map((key) => (
          <kbd key={key}>{showShortcut(key)}</kbd>
        ))}
      </dd>
    </div>
  ));
  return (
    <>
      <EveryCommand title={t`Everywhere`} />
      <KeymapColumns groups={groups} heading="h3" />
    </>
  );
}
