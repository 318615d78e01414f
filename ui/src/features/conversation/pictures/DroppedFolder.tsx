/** What becomes of a folder that was dropped while a session is shown. */
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { Button } from "../../../components/Button";
import { VisibleText } from "../../../components/code/VisibleText";
import { homePath } from "../../../components/format";
import type { DroppedFolder as Folder } from "./draft_pictures";

type Props = {
  folder: Folder;
  /** The question is answered, whatever the answer. */
  onDone: () => void;
  onOpen: (path: string) => void;
  onMention: (mention: string) => void;
};

export function DroppedFolder({ folder, onDone, onOpen, onMention }: Props) {
  const { name, path, mention } = folder;
  return (
    <div className="dropped-folder small" role="group" aria-label={t`Dropped folder`}>
      <p className="grow" role="status" title={homePath(path)}>
        <Trans>
          Open <b>{<VisibleText text={name} />}</b>, or mention it?
        </Trans>
        {mention === null && ` ${t`It is outside of this one, so it can't be mentioned.`}`}
      </p>
      <Button
        small
        onClick={() => {
          onDone();
          onOpen(path);
        }}
      >
        {t`Open folder`}
      </Button>
      {mention !== null && (
        <Button
          small
          onClick={() => {
            onDone();
            onMention(mention);
          }}
        >
          {t`Mention in message`}
        </Button>
      )}
      <Button small look="quiet" onClick={onDone}>
        {t`Dismiss`}
      </Button>
    </div>
  );
}
