import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useMemo } from "react";
import { Button } from "../../components/Button";
import { HunkLines, plainLook } from "../../components/diff/HunkLines";
import type { DiffHunk } from "../../components/diff/parse";
import { newSide, restoreEndings, usesCrlf } from "../../components/diff/side";
import { OwnText } from "./OwnText";

type Props = {
  hunk: DiffHunk;
  path: string;
  /** To begin with; the proposed one where there is none. */
  text: string | undefined;
  /** As far as the user has written. */
  unsaved: string | undefined;
  refusals: number;
  onChange: (text: string) => void;
  onSave: (text: string) => void;
  onCancel: () => void;
};

/** The new side of one hunk as text, beside or below the old one. Line endings and the final newline come back as they were. */
export function HunkEditor({ hunk, path, text, unsaved, refusals, onChange, onSave, onCancel }: Props) {
  const original = newSide(hunk);
  const shown = unsaved ?? (text ?? original).replace(/\r\n/g, "\n").replace(/\n$/, "");
  const save = () => onSave(restoreEndings(shown, original));
  const old = useMemo(() => oldLines(hunk), [hunk]);
  return (
    <div className="hunk-editor">
      {old && (
        <div className="hunk-old">
          <HunkLines hunk={old} path={path} look={plainLook} />
        </div>
      )}
      <OwnText
        label={t`New text of this hunk`}
        value={shown}
        maxRows={24}
        path={path}
        onChange={onChange}
        // What was there before is not come to by typing.
        takesFocus={unsaved === undefined || refusals > 0}
        onCancel={onCancel}
        onSave={save}
      >
        {refusals > 0 && (
          <p className="small attention" role="alert">
            {t`Save or cancel this edit first.`}
          </p>
        )}
        <span className="secondary small grow">
          <Trans>Saved as edited by you{usesCrlf(original) ? t`; keeps CRLF line endings` : ""}.</Trans>
        </span>
        <Button small look="quiet" title={t`Cancel (Esc)`} onClick={onCancel}>
          {t`Cancel`}
        </Button>
        <Button small title={t`Save edit`} shortcut="Mod+Enter" onClick={save}>
          {t`Save edit`}
        </Button>
      </OwnText>
    </div>
  );
}

/** What was there, which stays in sight; null where nothing was. */
function oldLines(hunk: DiffHunk): DiffHunk | null {
  const lines = hunk.lines.filter((line) => line.kind !== "added");
  if (!lines.some((line) => line.kind === "removed")) return null;
  return { ...hunk, lines: lines.map((line) => ({ ...line, newNumber: null })) };
}
