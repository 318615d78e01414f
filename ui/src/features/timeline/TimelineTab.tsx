/** The session's events, one after the other or as bars over time. */
import { t } from "@lingui/core/macro";
import { useState } from "react";
import { useRemembered } from "../../components/remembered";
import { Segments } from "../../components/Segments";
import { SentDialog } from "./SentDialog";
import { type EventActions, Timeline } from "./Timeline";
import { Waterfall } from "./Waterfall";
import "./waterfall.css";

type Props = Omit<EventActions, "onSent"> & { sessionId: string };

type Look = "list" | "waterfall";

export function TimelineTab(props: Props) {
  const [look, setLook] = useRemembered<Look>("timeline", "list", ["list", "waterfall"]);
  // Here, and not in its row: rows come and go while a run works.
  const [sent, setSent] = useState<number | null>(null);
  const looks: { value: Look; words: string }[] = [
    { value: "list", words: t`List` },
    { value: "waterfall", words: t`Waterfall` },
  ];
  return (
    <div className="timeline-tab">
      <div className="timeline-looks">
        <Segments label={t`Timeline as`} value={look} choices={looks} onChoose={setLook} />
      </div>
      {look === "list" ? <Timeline {...props} onSent={setSent} /> : <Waterfall {...props} onSent={setSent} />}
      {sent !== null && <SentDialog sessionId={props.sessionId} seq={sent} onClose={() => setSent(null)} />}
    </div>
  );
}
