/** The look of diffs: in one column or two, with changes of whitespace or without. Nothing decided depends on it. */
import { t } from "@lingui/core/macro";
import { Columns2, Pilcrow, Rows2 } from "lucide-react";
import { type ReactNode, type RefCallback, useCallback, useMemo, useState } from "react";
import { Button } from "../../components/Button";
import type { DiffLook } from "../../components/diff/HunkLines";
import { IconButton } from "../../components/IconButton";
import { useRemembered } from "../../components/remembered";

export type LookKey = "layout" | "whitespace";

const keys: Record<string, LookKey> = { s: "layout", w: "whitespace" };

export const lookKey = (key: string): LookKey | null => keys[key.toLowerCase()] ?? null;

/**
 * Remembered beyond the session. The look is the same object until it changes: hunks are drawn anew with it. Without room
 * for both sides there is one column, whatever was chosen.
 */
export function useLook(hasRoom: boolean): [DiffLook, (key: LookKey) => void] {
  const [layout, setLayout] = useRemembered<DiffLook["layout"]>("diffLook", "unified", ["unified", "split"]);
  const [whitespace, setWhitespace] = useRemembered<DiffLook["whitespace"]>("diffWhitespace", "shown", [
    "shown",
    "hidden",
  ]);
  const shown = hasRoom ? layout : "unified";
  const look = useMemo(() => ({ layout: shown, whitespace }), [shown, whitespace]);
  return [
    look,
    (key) =>
      key === "layout"
        ? hasRoom && setLayout(layout === "unified" ? "split" : "unified")
        : setWhitespace(whitespace === "shown" ? "hidden" : "shown"),
  ];
}

/** Whether there is room for two sides where the probe is, which is as wide as they are at least. */
export function useRoom() {
  const [hasRoom, setHasRoom] = useState(true);
  const probe = useCallback((element: HTMLElement | null) => {
    const around = element?.parentElement;
    if (!element || !around) return;
    const look = () => setHasRoom(element.offsetWidth <= around.clientWidth);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(around);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { hasRoom, probe };
}

type ButtonsProps = { look: DiffLook; hasRoom: boolean; onToggle: (key: LookKey) => void };

type BarProps = ButtonsProps & {
  probe: RefCallback<HTMLElement>;
  words?: string;
  /** Whether there is a diff below, whose look can be chosen. */
  hasDiff?: boolean;
  children?: ReactNode;
};

/** Above what waits. */
export function LookBar({ probe, words, hasDiff = true, children, ...buttons }: BarProps) {
  return (
    <>
      <span className="diff-probe" ref={probe} aria-hidden />
      <div className="changes-bar">
        <span className="secondary small grow">{words}</span>
        {hasDiff && buttons.look.whitespace === "hidden" && (
          <span className="attention small">{t`Whitespace changes are hidden`}</span>
        )}
        {hasDiff && <LookButtons {...buttons} />}
        {children}
      </div>
    </>
  );
}

function LookButtons({ look, hasRoom, onToggle }: ButtonsProps) {
  const isUnified = look.layout === "unified";
  return (
    <>
      <IconButton
        label={t`Hide whitespace changes`}
        aria-pressed={look.whitespace === "hidden"}
        shortcut="W"
        icon={Pilcrow}
        onClick={() => onToggle("whitespace")}
      />
      <Button
        small
        look="quiet"
        label={isUnified ? t`Show side by side` : t`Show unified`}
        title={hasRoom ? undefined : t`Two sides of 60 characters don't fit here.`}
        disabled={!hasRoom}
        shortcut="S"
        icon={isUnified ? <Columns2 size={14} aria-hidden /> : <Rows2 size={14} aria-hidden />}
        onClick={() => onToggle("layout")}
      />
    </>
  );
}
