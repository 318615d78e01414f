import { t } from "@lingui/core/macro";
import { MoveLeft, PanelLeft, PanelRight } from "lucide-react";
import { ErrorBoundary } from "../components/ErrorBoundary";
import { ErrorNote } from "../components/ErrorNote";
import { IconButton } from "../components/IconButton";
import { Once } from "../components/Once";
import { Conversation } from "../features/conversation/Conversation";
import { typeInto } from "../features/conversation/menu/type_into";
import { NextMessage } from "../features/conversation/NextMessage";
import { NewSession } from "../features/welcome/NewSession";
import { useArki } from "../platform/context";
import { useStore } from "../platform/stores/store";
import { CrashNote, FindBar, HistorySaid, Places, ReplayBar, SessionMenu, Welcome } from "./parts";
import { carryOut } from "./typed_commands";
import type { Window } from "./use_window";

/** The middle: a conversation, or a welcome while there is nothing to talk about. */
export function MainPane({ window }: { window: Window }) {
  const arki = useArki();
  const failure = useStore(arki.failure);
  const { app, shown, selected, folder, history } = window;
  const draft = history.draft?.sessionId === selected ? history.draft : null;
  const onLink = (url: string, text: string) => history.setAsking({ about: "link", url, text });
  return (
    <main className="conversation" aria-label={window.place === null ? t`Conversation` : undefined}>
      {/* It goes on below a place, and is as it was when one comes back. */}
      <div
        className="main-session"
        inert={window.place !== null}
        style={{ visibility: window.place === null ? undefined : "hidden" }}
      >
        <MainHead window={window} />
        {failure && (
          <div className="conversation-error">
            <ErrorNote error={failure} onAgain={() => void arki.start()} />
          </div>
        )}
        {shown && folder.error && (
          <div className="conversation-error">
            <ErrorNote error={folder.error} />
          </div>
        )}
        {window.place === null && <HistorySaid history={history} />}
        {app && <CrashNote />}
        {window.finding && (
          <FindBar
            key={window.finding.sessionId}
            {...window.finding}
            onShow={(seq, words) => selected !== null && history.showFound(selected, seq, words)}
            onNone={window.history.leavePlace}
            onClose={window.endFinding}
          />
        )}
        {window.replaying && selected !== null && (
          <ReplayBar key={selected} sessionId={selected} onClose={window.endReplay} />
        )}
        <ErrorBoundary part={t`The conversation`} about={selected}>
          {shown === null ? (
            app && (
              <Welcome
                error={folder.error}
                onOpenFolder={folder.chooseFolder}
                onOpen={folder.open}
                onSessions={() => window.panes.setSidebar(true)}
                onSample={() =>
                  folder.openSample(() => {
                    window.setModelHere("demo/demo");
                    history.putDraft(null, t`Improve the README`);
                  })
                }
                onModel={() => window.setModel(null)}
                onLink={onLink}
              />
            )
          ) : (
            <Conversation
              shown={shown}
              unavailable={window.unavailable}
              options={window.options}
              decides={
                <NextMessage
                  sessionId={selected}
                  options={window.options}
                  onModel={window.setModel}
                  onMode={window.setMode}
                  onSettings={(sessionId) => history.setAsking({ about: "settings", sessionId })}
                />
              }
              inputRef={window.message}
              place={history.place}
              replaying={window.replaying}
              draft={draft}
              onDraftTaken={history.draftTaken}
              onPutBack={(text) => history.putDraft(selected, text)}
              onQuote={(words) => {
                history.putDraft(selected, words);
                window.focusMessage();
              }}
              onRewind={(toSeq, undoes) =>
                selected !== null &&
                history.setAsking({ about: "rewind", sessionId: selected, toSeq, undoes: undoes ?? null })
              }
              onEdit={(toSeq, words) => selected !== null && history.edit(selected, toSeq, words)}
              onFork={(atSeq, said) => selected !== null && history.fork(selected, atSeq, said)}
              onOpenSession={history.show}
              onLink={onLink}
              onCommand={(command) => carryOut(command, window, arki)}
              onSent={window.sentTo}
              onReview={window.panes.review}
              onSettings={() => window.setDialog("settings")}
              onKey={window.enterKey}
              onOpenFolder={folder.open}
              onTrust={() => window.setDialog("trust")}
              start={
                <NewSession
                  folder={shown.folder}
                  model={window.model}
                  onExample={(words, others) => putExample(window.message.current, words, others)}
                  onTrust={() => window.setDialog("trust")}
                  onModel={() => window.setModel(null)}
                  onLink={onLink}
                />
              }
            />
          )}
        </ErrorBoundary>
      </div>
      <Once when={window.place !== null}>
        <Places window={window} />
      </Once>
    </main>
  );
}

/** In the place of another example; what the user wrote stays behind it. */
function putExample(box: HTMLTextAreaElement | null, words: string, others: readonly string[]) {
  if (box === null) return;
  const isExample = others.includes(box.value.trim());
  typeInto(box, 0, isExample ? box.value.length : 0, isExample || box.value === "" ? words : `${words}\n\n`);
  box.focus();
}

export function SidebarButton({ panes }: { panes: Window["panes"] }) {
  return (
    <IconButton
      label={panes.sidebar ? t`Hide sessions` : t`Show sessions`}
      command="sidebar"
      icon={PanelLeft}
      size={16}
      onClick={() => panes.setSidebar(!panes.sidebar)}
    />
  );
}

function MainHead({ window }: { window: Window }) {
  const { panes, shown, selected, session, history } = window;
  const title = selected === null ? t`New session` : session?.title || t`Untitled session`;
  return (
    <header className="main-head">
      <SidebarButton panes={panes} />
      {window.isFromPlace && (
        <IconButton
          label={t`Back`}
          command="back"
          icon={MoveLeft}
          size={16}
          onClick={() => window.back?.()}
        />
      )}
      <h2 className="cut grow" dir="auto" title={session?.title}>
        {shown && title}
      </h2>
      {shown && (
        <SessionMenu
          sessionId={selected}
          session={session}
          history={history}
          onRename={window.rename}
          onReplay={window.replay}
          onWorktree={() => history.setAsking({ about: "worktree", folder: shown.folder })}
        />
      )}
      <IconButton
        label={panes.inspector ? t`Hide inspector` : t`Show inspector`}
        command="inspector"
        icon={PanelRight}
        size={16}
        onClick={() => panes.setInspector(!panes.inspector)}
      />
    </header>
  );
}
