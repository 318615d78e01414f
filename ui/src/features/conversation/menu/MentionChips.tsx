import { t } from "@lingui/core/macro";
import { useEffect, useState } from "react";
import { exact, tokens } from "../../../components/format";
import { useArki } from "../../../platform/context";
import type { MentionSize } from "../../../protocol/generated";
import "./chips.css";
import { List } from "../../../components/List";

/** A pause in typing: the engine reads the files. */
const settleMs = 350;

/** What comes along with a message because it is mentioned, and how much of the model's window it takes. */
export function MentionChips({ text }: { text: string }) {
  const sizes = useSizes(text);
  if (sizes.length === 0) return null;
  return (
    <List className="mention-chips small" aria-label={t`Mentioned`}>
      {sizes.map(({ mention, tokens: count, note }, place) => (
        <li
          key={`${place} ${mention}`}
          className="mention-chip"
          title={
            note ??
            (count === null ? t`Fetched when you send the message` : t`${exact(count)} tokens, estimated`)
          }
        >
          {note !== null && (
            <span className="attention" aria-hidden>
              !
            </span>
          )}
          <span className="cut">{mention}</span>
          {count !== null && <span className="secondary">{t`${tokens(count)} tok`}</span>}
          {note !== null && <span className="sr-only">{note}</span>}
        </li>
      ))}
    </List>
  );
}

/** What was told stays until the next answer; what can't be told is no reason to stop writing. */
function useSizes(text: string): readonly MentionSize[] {
  const { platform } = useArki();
  const [sizes, setSizes] = useState<readonly MentionSize[]>([]);
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => {
      platform.call("mentions_in", { text }).then(
        (told) => current && setSizes(told),
        () => current && setSizes([]),
      );
    }, settleMs);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [platform, text]);
  return sizes;
}
