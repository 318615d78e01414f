/** The look of diffs: in one column or two, with changes of whitespace or without. Nothing decided depends on it. */
import { t } from "@lingui/core/macro";
import { Columns2, Pilcrow, Rows2 } from "lucide-react";
import { useMemo } from "react";
import { Button } from "../../components/Button";
import type { DiffLook } from "../../components/diff/HunkLines";
import { IconButton } from "../../components/IconButton";
import { useRemembered } from "../../components/remembered";

export type LookKey = "layout" | "whitespace";

const keys: Record<string, LookKey> = { s: "layout", w: "whitespace" };

export const lookKey = (key: string): LookKey | null => keys[key.toLowerCase()] ?? null;

/** Remembered beyond the session. The look is the same object until it changes: hunks are drawn anew with it. */
export function useLook(): [DiffLook, (key: LookKey) => void] {
  const [layout, setLayout] = useRemembered<DiffLook["layout"]>("diffLook", "unified", ["unified", "split"]);
  const [whitespace, setWhitespace] = useRemembered<DiffLook["whitespace"]>("diffWhitespace", "shown", [
    "shown",
    "hidden",
  ]);
  const look = useMemo(() => ({ layout, whitespace }), [layout, whitespace]);
  return [
    look,
    (key) =>
      key === "layout"
        ? setLayout(layout === "unified" ? "split" : "unified")
        : setWhitespace(whitespace === "shown" ? "hidden" : "shown"),
  ];
}

export function LookButtons({ look, onToggle }: { look: DiffLook; onToggle: (key: LookKey) => void }) {
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
        shortcut="S"
        icon={isUnified ? <Columns2 size={14} aria-hidden /> : <Rows2 size={14} aria-hidden />}
        onClick={() => onToggle("layout")}
      />
    </>
  );
}
