/** The list above the message box: commands after a "/", files, folders, sessions and changes after an "@". */
import { plural, t } from "@lingui/core/macro";
import { File, FileDiff, Folder, MessageSquare } from "lucide-react";
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useLatest } from "../../../components/latest";
import { composes } from "../../../components/shortcuts";
import type { Shown } from "../../../protocol/generated";
import type { ChosenBy, MenuEntry, MenuKeys } from "./menu";
import type { Trigger } from "./trigger";
import { useEntries } from "./useEntries";
import "./menu.css";

const icons = { file: File, folder: Folder, session: MessageSquare, diff: FileDiff, codebase: Folder };

type Props = {
  of: Shown;
  trigger: Trigger;
  listId: string;
  /** How the box hands its keys on. */
  keys: RefObject<MenuKeys | null>;
  onChoose: (entry: MenuEntry, by: ChosenBy) => void;
  onClose: () => void;
  /** The option that is highlighted; null while there is none. */
  onActive: (id: string | null) => void;
};

export function ComposerMenu({ of, trigger, listId, keys, onChoose, onClose, onActive }: Props) {
  const { entries, of: answered } = useEntries(of, trigger);
  const [active, setActive] = useState({ at: 0, of: answered });
  // Other words, another list: the best one is on top.
  const at = active.of === answered ? Math.min(active.at, entries.length - 1) : 0;
  const list = useRef<HTMLDivElement>(null);
  const optionId = (place: number) => `${listId} ${place}`.replaceAll(" ", "-");
  const current = entries[at];
  const tell = useLatest(onActive);
  useEffect(() => {
    tell.current(current ? optionId(at) : null);
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  });
  useEffect(() => () => tell.current(null), [tell]);
  const onKey = (event: KeyboardEvent) => {
    if (!current || composes(event.nativeEvent)) return false;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    if (event.key === "Escape") {
      onClose();
      return true;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      setActive({ at: (at + step + entries.length) % entries.length, of: answered });
      return true;
    }
    if (event.key !== "Enter" && event.key !== "Tab") return false;
    // Written out already: Enter is the box's.
    if (event.key === "Enter" && current.insert === `@${trigger.words}`) return false;
    onChoose(current, event.key);
    return true;
  };
  useLayoutEffect(() => {
    keys.current = onKey;
    return () => {
      keys.current = null;
    };
  });
  return (
    <>
      {entries.length > 0 && (
        <div
          ref={list}
          id={listId}
          className="composer-menu"
          role="listbox"
          aria-label={trigger.kind === "command" ? t`Commands` : t`Mentions`}
        >
          {entries.map((entry, place) => {
            const Icon = entry.icon && icons[entry.icon];
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the message box has the focus and hears the keys
              // biome-ignore lint/a11y/useFocusableInteractive: the message box names the active option
              <div
                key={entry.key}
                id={optionId(place)}
                role="option"
                aria-selected={place === at}
                className="composer-option"
                // The box keeps the focus.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => onChoose(entry, "Enter")}
                onPointerMove={() => place !== at && setActive({ at: place, of: answered })}
              >
                {Icon && <Icon size={14} aria-hidden className="composer-option-icon" />}
                <span className="composer-option-name cut">
                  {entry.label}
                  {entry.hint && <span className="secondary"> {entry.hint}</span>}
                </span>{" "}
                <span className="composer-option-detail small secondary cut">{entry.detail}</span>
              </div>
            );
          })}
        </div>
      )}
      <p className="sr-only" role="status">
        {entries.length > 0 && plural(entries.length, { one: "# suggestion", other: "# suggestions" })}
      </p>
    </>
  );
}
