/** "Why was this asked?": a line that opens to the trace of a decision of the policy. */
import { useId, useState } from "react";
import { Disclosure } from "../Disclosure";
import { lazily } from "../lazily";
import "./why.css";

const DecisionTrace = lazily(() => import("./DecisionTrace").then((part) => part.DecisionTrace));

type Props = {
  /** The question that it answers. */
  question: string;
  sessionId: string;
  callId: string;
  /** The event of the decision; null: the newest that the policy made about the call. */
  seq?: number | null;
};

export function WhyAsked({ question, sessionId, callId, seq = null }: Props) {
  const [open, setOpen] = useState(false);
  const body = useId();
  return (
    <div className="why small">
      <Disclosure open={open} onToggle={() => setOpen(!open)} controls={body} className="why-line secondary">
        {question}
      </Disclosure>
      {open && (
        <div id={body} className="why-body" role="group" aria-label={question}>
          <DecisionTrace sessionId={sessionId} callId={callId} seq={seq} />
        </div>
      )}
    </div>
  );
}
