/** The pictures that go with the message, each as a chip that can be taken away again, why others don't, and what may come. */
import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { X } from "lucide-react";
import { useRef } from "react";
import { Button } from "../../../components/Button";
import { VisibleText } from "../../../components/code/VisibleText";
import { exact, homePath, tokens } from "../../../components/format";
import { IconButton } from "../../../components/IconButton";
import { List } from "../../../components/List";
import { type Store, useStore } from "../../../platform/stores/store";
import {
  type AttachedPicture,
  type DraftPictures,
  dismissRefusals,
  type DroppedFolder as Folder,
  takeOut,
} from "./draft_pictures";
import "./attached_pictures.css";

type Props = {
  draft: Store<DraftPictures>;
  /** Gives the focus to the message box. */
  onFocus: () => void;
  /** Something is dragged over the window. */
  isOver: boolean;
  /** Nothing can be attached. */
  isBlocked: boolean;
  onOpenFolder: (path: string) => void;
  onMention: (mentions: readonly string[]) => void;
};

export function AttachedPictures(props: Props) {
  const { draft, onFocus, isOver, isBlocked } = props;
  const { pictures, coming, refused, folder } = useStore(draft);
  const list = useRef<HTMLUListElement>(null);
  const remove = (picture: AttachedPicture, place: number) => {
    const buttons = list.current?.querySelectorAll("button") ?? [];
    const next = buttons[place + 1] ?? buttons[place - 1];
    if (next) next.focus();
    else onFocus();
    takeOut(draft, [picture]);
  };
  return (
    <>
      {folder && (
        <DroppedFolder
          folder={folder}
          onDone={() => {
            draft.update((now) => ({ ...now, folder: null }));
            onFocus();
          }}
          onOpen={props.onOpenFolder}
          onMention={(mention) => props.onMention([mention])}
        />
      )}
      {pictures.length > 0 && (
        <List ref={list} className="attached-pictures small" aria-label={t`Attached pictures`}>
          {pictures.map((picture, place) => (
            <Chip key={picture.key} picture={picture} onRemove={() => remove(picture, place)} />
          ))}
        </List>
      )}
      <div role="status" className="attaching small secondary">
        {coming > 0 && <p>{plural(coming, { one: "Reading # picture…", other: "Reading # pictures…" })}</p>}
        {refused.length > 0 && (
          <div className="attaching-refused">
            <List className="grow">
              {refused.map((reason, place) => (
                <li key={`${place} ${reason}`}>
                  <span className="attention" aria-hidden>
                    !{" "}
                  </span>
                  {reason}
                </li>
              ))}
            </List>
            <Button small look="quiet" onClick={() => dismissRefusals(draft)}>
              {t`Dismiss`}
            </Button>
          </div>
        )}
      </div>
      {isOver && (
        <p className="composer-drop">
          {isBlocked
            ? t`Drop a folder to open it`
            : t`Drop pictures to attach them, files to mention them, a folder to open it`}
        </p>
      )}
    </>
  );
}

function Chip({ picture, onRemove }: { picture: AttachedPicture; onRemove: () => void }) {
  const { name, facts, thumbnail, scaledFrom } = picture;
  const size = t`${facts.width} × ${facts.height}`;
  const estimate = t`${exact(facts.tokens)} tokens, estimated`;
  const title = scaledFrom
    ? t`${name}: scaled down from ${scaledFrom.width} × ${scaledFrom.height} pixels, ${estimate}`
    : t`${name}: ${size} pixels, ${estimate}`;
  return (
    <li className="attached-picture" title={title}>
      <img src={thumbnail} alt="" />
      <span className="attached-facts">
        <span className="cut">{name}</span>
        <span className="secondary">
          {size} · {t`${tokens(facts.tokens)} tok`}
        </span>
      </span>
      <IconButton
        label={t`Remove ${name}`}
        icon={X}
        onClick={onRemove}
        onKeyDown={(event) => {
          if (event.key !== "Delete" && event.key !== "Backspace") return;
          event.preventDefault();
          onRemove();
        }}
      />
    </li>
  );
}

type FolderProps = {
  folder: Folder;
  /** The question is answered, whatever the answer. */
  onDone: () => void;
  onOpen: (path: string) => void;
  onMention: (mention: string) => void;
};

/** What becomes of a folder that was dropped while a session is shown. */
function DroppedFolder({ folder, onDone, onOpen, onMention }: FolderProps) {
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
