/** The menu of the message box: when it is open, what it does to what is written, and what assistive technology is told. */
import { type ComponentProps, type KeyboardEvent, type SyntheticEvent, useId, useRef, useState } from "react";
import { lazily } from "../../../components/lazily";
import type { Shown } from "../../../protocol/generated";
import type { ChosenBy, MenuEntry, MenuKeys } from "./menu";
import { triggerAt } from "./trigger";
import { typeInto } from "./type_into";

const ComposerMenu = lazily(() => import("./ComposerMenu").then((part) => part.ComposerMenu));

type Box = ComponentProps<"textarea">;

type Given = {
  of: Shown;
  text: string;
  /** Sends what would be written then. */
  onSend: (text: string) => void;
};

export function useComposerMenu({ of, text, onSend }: Given) {
  const box = useRef<HTMLTextAreaElement | null>(null);
  const keys = useRef<MenuKeys | null>(null);
  /** Null while the box has no focus. */
  const [caret, setCaret] = useState<number | null>(null);
  const [closed, setClosed] = useState<string | null>(null);
  const [active, setActive] = useState<string | null>(null);
  const listId = useId();
  const at = caret === null ? null : Math.min(caret, text.length);
  const found = at === null ? null : triggerAt(text, at);
  const place = found && `${found.kind} ${found.from}`;
  // What was closed stays so until the caret has left it.
  if (closed !== null && closed !== place) setClosed(null);
  const trigger = closed === null ? found : null;

  const look = (event: SyntheticEvent<HTMLTextAreaElement>) => {
    const { selectionStart, selectionEnd } = event.currentTarget;
    box.current = event.currentTarget;
    setCaret(selectionStart === selectionEnd ? selectionStart : null);
  };
  const choose = (entry: MenuEntry, by: ChosenBy) => {
    const field = box.current;
    if (!field || !trigger || at === null) return;
    if (by === "Enter" && entry.sends) {
      return onSend(text.slice(0, trigger.from) + entry.insert + text.slice(at));
    }
    const goesOn = (by === "Tab" && entry.leadsOn) || text[at] === " ";
    typeInto(field, trigger.from, at, entry.insert + (goesOn ? "" : " "));
  };
  const isOpen = trigger !== null && active !== null;
  const looks = {
    onSelect: look,
    onBlur: () => setCaret(null),
    ...(isOpen && {
      role: "combobox",
      "aria-expanded": true,
      "aria-haspopup": "listbox",
      "aria-autocomplete": "list",
      "aria-controls": listId,
      "aria-activedescendant": active,
    }),
  } satisfies Box;
  return {
    box: looks,
    /** Answers whether the menu has taken the key. */
    takes: (event: KeyboardEvent) => keys.current?.(event) ?? false,
    menu: trigger && (
      <ComposerMenu
        of={of}
        trigger={trigger}
        listId={listId}
        keys={keys}
        onChoose={choose}
        onClose={() => setClosed(place)}
        onActive={setActive}
      />
    ),
  };
}
