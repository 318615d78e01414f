/** Where the conversation does not simply go on: forked, rewound, stopped half-way. */
import { plural, t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { GitFork, Play, Undo2 } from "lucide-react";
import { Button } from "../../components/Button";
import { Disclosure } from "../../components/Disclosure";
import { clock, exactTime } from "../../components/format";
import type { ForkedItem, RewoundItem } from "../../protocol/transcript";
import type { StoppedItem, TakenItem } from "./rows";
import "./divider.css";

const icon = 14;

export function Forked({ item, title, onOpen }: { item: ForkedItem; title: string; onOpen: () => void }) {
  return (
    <div className="divider">
      <GitFork size={icon} aria-hidden />
      <span className="small">
        <Trans>
          Forked from{" "}
          <button
            type="button"
            className="link"
            dir="auto"
            onClick={onOpen}
            title={t`Show it at event ${item.fromSeq}`}
          >
            {title}
          </button>
        </Trans>
      </span>
    </div>
  );
}

export function Rewound({ item, onUndo }: { item: RewoundItem; onUndo: (() => void) | null }) {
  return (
    <div className="divider">
      <Undo2 size={icon} aria-hidden />
      <span className="small grow" title={exactTime(item.ts)}>
        {rewoundWords(item)} <span className="secondary">{clock(item.ts).slice(0, 5)}</span>
      </span>
      {!item.takenBack && onUndo && (
        <Button small look="quiet" title={t`Go back to before this rewind`} onClick={onUndo}>
          {t`Undo this rewind`}
        </Button>
      )}
    </div>
  );
}

export function rewoundWords(item: RewoundItem): string {
  const messages =
    item.messages > 0 ? t`${plural(item.messages, { one: "# message", other: "# messages" })} reverted` : "";
  const files = item.files ? t`${plural(item.restored, { one: "# file", other: "# files" })} restored` : "";
  const what = [messages, files].filter((words) => words !== "").join(", ");
  return what === "" ? t`Rewound` : t`Rewound: ${what}`;
}

export function Taken({ item, onToggle }: { item: TakenItem; onToggle: () => void }) {
  return (
    <Disclosure open={item.open} onToggle={onToggle} className="taken-toggle small">
      {item.open ? t`Hide reverted messages` : t`Show reverted messages`}
    </Disclosure>
  );
}

export function Stopped({ item, onResume }: { item: StoppedItem; onResume: (() => void) | null }) {
  const sign = item.standing.state === "paused" ? "‖" : "↯";
  return (
    <div className="stopped" role="status">
      <span className="stopped-sign" aria-hidden>
        {sign}
      </span>
      <p className="grow">{item.standing.words}</p>
      {onResume && (
        <Button
          small
          look="primary"
          title={t`Resume`}
          command="resume"
          icon={<Play size={12} fill="currentColor" aria-hidden />}
          onClick={onResume}
        >
          {t`Resume`}
        </Button>
      )}
    </div>
  );
}
