/** What a compaction left out of what the model sees: said by whom, in a line each, with the way to all of it. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, plural, t } from "@lingui/core/macro";
import type { ContextCompaction, LeftOutKind } from "../protocol/generated";
import "./dropped.css";
import { List } from "./List";

const kinds: Readonly<Record<LeftOutKind, MessageDescriptor>> = {
  user: msg`You`,
  assistant: msg`Answer`,
  result: msg`Result`,
};

type Props = { compaction: ContextCompaction; onShow: (seq: number) => void };

export function DroppedMessages({ compaction: { dropped, droppedCount }, onShow }: Props) {
  const more = droppedCount - dropped.length;
  if (droppedCount === 0) return null;
  return (
    <>
      <p className="small secondary">
        {plural(droppedCount, {
          one: "# message or result the model no longer sees:",
          other: "# messages and results the model no longer sees:",
        })}
      </p>
      <List className="dropped" aria-label={t`Left out for the model`}>
        {dropped.map((one) => (
          <li key={`${one.seq} ${one.kind}`}>
            <button type="button" title={t`Show in the conversation`} onClick={() => onShow(one.seq)}>
              <span className="dropped-kind secondary">{i18n._(kinds[one.kind])}</span>
              <span className="cut" dir="auto">
                {one.text}
              </span>
            </button>
          </li>
        ))}
        {more > 0 && (
          <li className="dropped-more secondary">
            {plural(more, { one: "and # more", other: "and # more" })}
          </li>
        )}
      </List>
    </>
  );
}
