/** Where you are: projects and their sessions, the inbox, settings. */

import { t } from "@lingui/core/macro";
import { Bookmark, FolderOpen, Inbox, List, Plus, Settings, Workflow } from "lucide-react";
import { type Ref, useId, useState } from "react";
import { Button } from "../../components/Button";
import { useCan } from "../../components/can";
import { useCommandKeys, withKeys } from "../../components/command_keys";
import { lazily } from "../../components/lazily";
import { useApprovals, useAsking, useMemories, useSessions } from "../../platform/context";
import { listOf, prepareFilter, type Shown } from "../../protocol/session_groups";
import { type ListProps, SessionList } from "./SessionList";
import { waitingWords } from "./SessionRow";
import "./sessions.css";

type Props = Omit<ListProps, "sessions" | "words" | "shown" | "onUnlisted"> & {
  filterRef: Ref<HTMLInputElement>;
  onNew: () => void;
  onOpenFolder: () => void;
  /** To the next decision; to the list where there is none. */
  onInbox: () => void;
  onInboxList: () => void;
  onMemory: () => void;
  onPipelines: () => void;
  onSettings: () => void;
};

const StateFilter = lazily(() => import("./StateFilter").then((part) => part.StateFilter));

/** Fewer sessions than this are seen at a glance. */
const worthFiltering = 5;

export function Sessions(props: Props) {
  const { folder, place, onNew, onOpenFolder, onInbox, onInboxList, onMemory, onPipelines, onSettings } =
    props;
  const [words, setWords] = useState("");
  const [shown, setShown] = useState<Shown>("all");
  const keys = useCommandKeys();
  const can = useCan();
  const sessions = useSessions();
  const approvals = useApprovals();
  const questions = useAsking();
  const all = approvals.length + questions.length;
  const inboxCount = useId();
  const isFiltered = words !== "" || shown !== "all";
  const unfilter = (to: "all" | "archived") => {
    setWords("");
    setShown(to);
  };
  return (
    <nav className="sessions" aria-label={t`Sessions`}>
      <div className="sessions-head">
        <Button
          look="quiet"
          className="sessions-new"
          label={t`New session`}
          title={t`New session`}
          command="new"
          icon={<Plus size={16} aria-hidden />}
          disabled={folder === null}
          onClick={onNew}
        >
          {t`New session`}
        </Button>
        {folder !== null && (
          <Button
            look="quiet"
            label={t`Open folder`}
            command="open"
            icon={<FolderOpen size={16} aria-hidden />}
            onClick={onOpenFolder}
          />
        )}
      </div>
      {(sessions.length >= worthFiltering || isFiltered || sessions.some((one) => one.archived)) && (
        <div className="sessions-filter">
          <input
            ref={props.filterRef}
            className="field"
            dir="auto"
            type="search"
            aria-label={t`Filter sessions`}
            placeholder={t`Filter`}
            title={withKeys(t`Filter sessions`, keys.filter)}
            value={words}
            onFocus={() => prepareFilter(sessions)}
            onChange={(event) => setWords(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape" || !isFiltered) return;
              event.preventDefault();
              unfilter("all");
            }}
          />
          <StateFilter shown={shown} onShown={setShown} />
        </div>
      )}
      <SessionList
        {...props}
        sessions={sessions}
        words={words}
        shown={shown}
        onUnlisted={(sessionId) => unfilter(listOf(sessions, sessionId))}
      />
      <div className="sessions-foot">
        <span id={inboxCount} className="sr-only">
          {waitingWords(approvals.length, questions.length)}
        </span>
        <div className="sessions-inbox">
          <Button
            look="quiet"
            className="grow"
            label={t`Inbox`}
            title={all > 0 ? t`Go to the next pending decision` : t`Show inbox`}
            command={all > 0 ? "inbox" : "inbox-list"}
            icon={<Inbox size={16} aria-hidden />}
            aria-describedby={inboxCount}
            aria-current={place === "inbox" ? "page" : undefined}
            onClick={onInbox}
          >
            <span className="grow">{t`Inbox`}</span>
            {all > 0 && <span key={all} className="count" data-count={all} />}
          </Button>
          {all > 0 && (
            <Button
              look="quiet"
              label={t`Show inbox`}
              command="inbox-list"
              icon={<List size={16} aria-hidden />}
              onClick={onInboxList}
            />
          )}
        </div>
        {can("accept_memory") && <Memory isOpen={place === "memory"} onOpen={onMemory} />}
        {can("start_pipeline") && (
          <Button
            look="quiet"
            label={t`Pipelines`}
            title={t`Repeatable work in steps`}
            icon={<Workflow size={16} aria-hidden />}
            aria-current={place === "pipelines" ? "page" : undefined}
            onClick={onPipelines}
          >
            <span className="grow">{t`Pipelines`}</span>
          </Button>
        )}
        {can("list_settings") && (
          <Button
            look="quiet"
            label={t`Settings`}
            title={t`Settings`}
            command="settings"
            icon={<Settings size={16} aria-hidden />}
            onClick={onSettings}
          >
            <span className="grow">{t`Settings`}</span>
          </Button>
        )}
      </div>
    </nav>
  );
}

/** With how many memories are proposed: nothing waits for these, so they are no part of the inbox. */
function Memory({ isOpen, onOpen }: { isOpen: boolean; onOpen: () => void }) {
  const proposed = useMemories().entries?.filter((one) => one.state === "pending").length ?? 0;
  const count = useId();
  return (
    <Button
      look="quiet"
      label={t`Memory`}
      title={t`What Arki remembers`}
      icon={<Bookmark size={16} aria-hidden />}
      aria-describedby={count}
      aria-current={isOpen ? "page" : undefined}
      onClick={onOpen}
    >
      <span className="grow">{t`Memory`}</span>
      {proposed > 0 && <span key={proposed} className="count quiet" data-count={proposed} />}
      <span id={count} className="sr-only">
        {proposed > 0 && t`${proposed} to review`}
      </span>
    </Button>
  );
}
