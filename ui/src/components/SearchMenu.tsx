import { Combobox } from "@base-ui/react/combobox";
import { t } from "@lingui/core/macro";
import { Check } from "lucide-react";
import { type ReactNode, useState } from "react";

export type Found = { value: string; label: string; detail?: string };

type Props = {
  label: string;
  title?: string;
  trigger: ReactNode;
  /** Name and placeholder of the field that narrows the list. */
  search: string;
  value: string;
  choices: Found[];
  onChoose: (value: string) => void;
  onOpen?: () => void;
  /** Said below the list. */
  children?: ReactNode;
};

/** Entries that are drawn when the menu opens, so that a list of any length opens at once: more than can be seen. */
const first = 24;
/** Drawn besides whenever the end of what is drawn comes near. */
const more = 48;

/** A button that opens a long list to choose one entry of, narrowed by typing. */
export function SearchMenu(props: Props) {
  const { label, title, trigger, search, value, choices, onChoose, onOpen, children } = props;
  const [drawn, setDrawn] = useState(first);
  const grow = (list: HTMLElement) => {
    const isNearEnd = list.scrollTop + 2 * list.clientHeight >= list.scrollHeight;
    if (isNearEnd && drawn < choices.length) setDrawn(drawn + more);
  };
  return (
    <Combobox.Root
      items={choices}
      value={choices.find((choice) => choice.value === value) ?? null}
      onValueChange={(choice) => choice && onChoose(choice.value)}
      isItemEqualToValue={(one, other) => one.value === other.value}
      onOpenChange={(open) => {
        if (!open) return;
        setDrawn(first);
        onOpen?.();
      }}
      autoHighlight
      limit={drawn}
    >
      <Combobox.Trigger className="status-button" aria-label={label} title={title}>
        {trigger}
      </Combobox.Trigger>
      <Combobox.Portal>
        <Combobox.Positioner side="top" align="start" sideOffset={4} className="menu-layer">
          <Combobox.Popup className="menu search-menu" aria-label={search}>
            <Combobox.Input className="field" aria-label={search} placeholder={search} />
            <Combobox.Empty>
              <p className="search-menu-note secondary">{t`No matches.`}</p>
            </Combobox.Empty>
            <Combobox.List className="search-menu-list" onScroll={(event) => grow(event.currentTarget)}>
              {(choice: Found) => (
                <Combobox.Item key={choice.value} value={choice} className="menu-item">
                  <span aria-hidden>{choice.value === value && <Check size={14} />}</span>
                  <span className="cut">{choice.label}</span>
                  {choice.detail && <span className="small secondary">{choice.detail}</span>}
                </Combobox.Item>
              )}
            </Combobox.List>
            {choices.length > first && (
              <p className="search-menu-note small secondary">
                {t`${choices.length} in all. Type to find one.`}
              </p>
            )}
            {children}
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
