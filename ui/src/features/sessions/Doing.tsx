import { VisibleText } from "../../components/code/VisibleText";
import { useSecondsSince } from "../../components/countdown";
import { workingWords } from "../../components/working_words";
import type { SessionView } from "../../platform/stores/session_view";
import { type Store, useStore } from "../../platform/stores/store";
import { workingOf } from "../../protocol/working";

/** What the run of a session does right now, below its title. */
export function Doing({ view }: { view: Store<SessionView> }) {
  const { transcript, live, window } = useStore(view);
  const working = workingOf({ transcript, live, events: window.events });
  const seconds = useSecondsSince(() => working.since);
  return (
    <span className="session-doing small cut" aria-hidden>
      <VisibleText text={workingWords(working, seconds)} />
    </span>
  );
}
