import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useState } from "react";
import { Button } from "../../components/Button";
import type { DiffHunk } from "../../components/diff/parse";
import { newSide, restoreEndings, usesCrlf } from "../../components/diff/side";
import { OwnText } from "./OwnText";

type Props = {
  hunk: DiffHunk;
  text: string | undefined;
  onSave: (text: string) => void;
  onCancel: () => void;
};

/** The new side of one hunk as text. Line endings and the final newline come back as they were. */
export function HunkEditor({ hunk, text, onSave, onCancel }: Props) {
  const original = newSide(hunk);
  const [draft, setDraft] = useState((text ?? original).replace(/\r\n/g, "\n").replace(/\n$/, ""));
  const save = () => onSave(restoreEndings(draft, original));
  return (
    <OwnText
      label={t`New text of this hunk`}
      value={draft}
      maxRows={24}
      onChange={setDraft}
      onCancel={onCancel}
      onSave={save}
    >
      <span className="secondary small grow">
        <Trans>Saved as edited by you{usesCrlf(original) ? t`; keeps CRLF line endings` : ""}.</Trans>
      </span>
      <Button small look="quiet" title={t`Cancel (Esc)`} onClick={onCancel}>
        {t`Cancel`}
      </Button>
      <Button small look="primary" title={t`Save edit`} shortcut="Mod+Enter" onClick={save}>
        {t`Save edit`}
      </Button>
    </OwnText>
  );
}
