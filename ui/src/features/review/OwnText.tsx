import { t } from "@lingui/core/macro";
import type { ComponentProps, ReactNode } from "react";
import { CodeField } from "../../components/code/CodeField";
import { hasHidden } from "../../components/code/invisible";
import { composes, matches } from "../../components/shortcuts";

type Props = {
  label: string;
  value: string;
  maxRows: number;
  takesFocus?: boolean;
  /** Words, and not code. */
  prose?: boolean;
  /** The file that it is code of. */
  path?: string;
  onChange: (value: string) => void;
  onCancel: () => void;
  /** By key; none where what is written counts as it is written. */
  onSave?: () => void;
  /** What will become of it, and the buttons. */
  children: ReactNode;
};

/** The user's own text in place of the model's. It was opened to be typed in, so it has the focus. */
export function OwnText(props: Props) {
  const { value, takesFocus = true, prose = false, path, onChange, onCancel, onSave } = props;
  const area: ComponentProps<"textarea"> & { value: string } = {
    "aria-label": props.label,
    value,
    autoFocus: takesFocus,
    onChange: (event) => onChange(event.target.value),
    onKeyDown: (event) => {
      if (composes(event.nativeEvent)) return;
      if (event.key === "Escape") onCancel();
      else if (onSave && matches(event, "Mod+Enter")) onSave();
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
  return (
    <div className="own-text">
      {path === undefined ? (
        <textarea
          {...area}
          className={prose ? "field" : "field mono"}
          dir={prose ? "auto" : undefined}
          rows={Math.min(props.maxRows, value.split("\n").length + 1)}
          spellCheck={false}
        />
      ) : (
        <CodeField {...area} name={path} />
      )}
      <HiddenWarning text={value} />
      <div className="own-text-foot">{props.children}</div>
    </div>
  );
}

/** A text area can't show these characters as boxes. */
export function HiddenWarning({ text }: { text: string }) {
  if (!hasHidden(text)) return null;
  return <p className="small attention">{t`Contains invisible or bidirectional control characters.`}</p>;
}
