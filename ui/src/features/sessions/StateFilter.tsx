import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { ListFilter } from "lucide-react";
import { ChoiceMenu } from "../../components/menus";
import type { Shown } from "../../protocol/session_groups";

const words: Readonly<Record<Shown, MessageDescriptor>> = {
  all: msg`All but archived`,
  waiting: msg`Waiting for you`,
  running: msg`Running`,
  stopped: msg`Stopped half-way`,
  done: msg`Done`,
  archived: msg`Archived`,
};
const choices = Object.keys(words) as Shown[];

const shownWords = (shown: Shown) => i18n._(words[shown]);

/** Which sessions are listed, by how they stand. */
export function StateFilter({ shown, onShown }: { shown: Shown; onShown: (shown: Shown) => void }) {
  return (
    <ChoiceMenu
      label={t`Sessions shown: ${shownWords(shown)}`}
      title={t`Filter by state: ${shownWords(shown)}`}
      trigger={
        <span className={shown === "all" ? "sessions-state" : "sessions-state on"}>
          <ListFilter size={16} aria-hidden />
        </span>
      }
      value={shown}
      choices={choices.map((value) => ({ value, label: shownWords(value) }))}
      onChoose={(value) => onShown(choices.find((one) => one === value) ?? "all")}
    />
  );
}
