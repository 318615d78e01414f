import { Menu as Base } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { type Needed, offered, useCan } from "./can";

export type Choice = { value: string; label: string; detail?: string };

type Props = {
  label: string;
  title?: string;
  trigger: ReactNode;
  value: string;
  choices: Choice[];
  onChoose: (value: string) => void;
};

/** A button that opens a menu of which one entry is chosen. */
export function ChoiceMenu({ label, title, trigger, value, choices, onChoose }: Props) {
  return (
    <Base.Root>
      <Base.Trigger className="status-button" aria-label={label} title={title}>
        {trigger}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner side="top" align="start" sideOffset={4} className="menu-layer">
          <Base.Popup className="menu">
            <Base.RadioGroup value={value} onValueChange={onChoose}>
              {choices.map((choice) => (
                <Base.RadioItem key={choice.value} value={choice.value} className="menu-item" closeOnClick>
                  <span aria-hidden>{choice.value === value && <Check size={14} />}</span>
                  <span className="cut">{choice.label}</span>
                  {choice.detail && <span className="small secondary">{choice.detail}</span>}
                </Base.RadioItem>
              ))}
            </Base.RadioGroup>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export type MenuAction = {
  label: string;
  detail?: string;
  icon?: ReactNode;
  /** Without this command it isn't offered. */
  needs?: Needed;
  run: () => void;
};

type ActionsProps = {
  label: string;
  trigger: ReactNode;
  actions: readonly (MenuAction | null)[];
  className?: string;
  look?: "icon" | "status";
};

/** A button that opens a menu of things to do; null separates groups of them. */
export function ActionMenu({ label, trigger, actions, className, look = "icon" }: ActionsProps) {
  const chosen = useRef<(() => void) | null>(null);
  /** The focus is given back right after this is asked: only then does the action begin, which may place it elsewhere. */
  const giveBack = () => {
    if (chosen.current) setTimeout(chosen.current, 0);
    chosen.current = null;
    return true;
  };
  return (
    <Base.Root>
      <Base.Trigger
        className={look === "status" ? "status-button" : `button quiet icon small ${className ?? ""}`}
        aria-label={label}
        title={label}
      >
        {trigger}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner
          side={look === "status" ? "top" : "bottom"}
          align={look === "status" ? "start" : "end"}
          sideOffset={4}
          className="menu-layer"
        >
          <Base.Popup className="menu" finalFocus={giveBack}>
            <Items actions={actions} onChoose={(run) => (chosen.current = run)} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

type ItemsProps = { actions: readonly (MenuAction | null)[]; onChoose: (run: () => void) => void };

function Items({ actions, onChoose }: ItemsProps) {
  return offered(actions, useCan()).map((action, place) =>
    action === null ? (
      <Base.Separator key={`${place}`} className="menu-line" />
    ) : (
      <Base.Item key={action.label} className="menu-item" onClick={() => onChoose(action.run)}>
        <span className="menu-icon" aria-hidden>
          {action.icon}
        </span>
        <span>{action.label}</span>
        {action.detail && <span className="small secondary">{action.detail}</span>}
      </Base.Item>
    ),
  );
}

type BesideProps = {
  label: string;
  beside: HTMLElement;
  actions: readonly (MenuAction | null)[];
  onClose: () => void;
};

/** An open menu beside something, which gets the focus back. */
export function MenuBeside({ label, beside, actions, onClose }: BesideProps) {
  const [open, setOpen] = useState(true);
  const chosen = useRef<(() => void) | null>(null);
  const giveBack = () => {
    if (chosen.current) setTimeout(chosen.current, 0);
    return beside;
  };
  return (
    <Base.Root open={open} onOpenChange={setOpen} onOpenChangeComplete={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Positioner anchor={beside} side="bottom" align="start" className="menu-layer">
          <Base.Popup className="menu" aria-label={label} finalFocus={giveBack}>
            <Items actions={actions} onChoose={(run) => (chosen.current = run)} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
