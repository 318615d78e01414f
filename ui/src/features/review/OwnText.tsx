import { t } from "@lingui/core/macro";
import type { ReactNode } from "react";
import { hasHidden } from "../../components/code/invisible";
import { composes, matches } from "../../components/shortcuts";

type Props = {
  label: string;
  value: string;
  maxRows: number;
  takesFocus?: boolean;
  /** Words, and not code. */
  prose?: boolean;
  onChange: (value: string) => void;
  onCancel: () => void;
  /** By key; none where what is written counts as it is written. */
  onSave?: () => void;
  /** What will become of it, and the buttons. */
  children: ReactNode;
};

/** The user's own text in place of the model's. It was opened to be typed in, so it has the focus. */
export function OwnText(props: Props) {
  const {
    label,
    value,
    maxRows,
    takesFocus = true,
    prose = false,
    onChange,
    onCancel,
    onSave,
    children,
  } = props;
  return (
    <div className="own-text">
      <textarea
        className={prose ? "field" : "field mono"}
        dir={prose ? "auto" : undefined}
        aria-label={label}
        value={value}
        rows={Math.min(maxRows, value.split("\n").length + 1)}
        spellCheck={false}
        // biome-ignore lint/a11y/noAutofocus: opened by "Edit …", which means to type
        autoFocus={takesFocus}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (composes(event.nativeEvent)) return;
          if (event.key === "Escape") onCancel();
          else if (onSave && matches(event, "Mod+Enter")) onSave();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <HiddenWarning text={value} />
      <div className="own-text-foot">{children}</div>
    </div>
  );
}

/** A text area can't show these characters as boxes. */
export function HiddenWarning({ text }: { text: string }) {
  if (!hasHidden(text)) return null;
  return <p className="small attention">{t`Contains invisible or bidirectional control characters.`}</p>;
}
