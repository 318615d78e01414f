import { t } from "@lingui/core/macro";
import { type KeyboardEvent, useState } from "react";
import { composes, sends } from "../../components/shortcuts";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { CommandError, SessionSummary } from "../../protocol/generated";

type Props = {
  session: SessionSummary;
  /** Whether by a key, and not by going elsewhere. */
  onDone: (byKey: boolean) => void;
};

/** A session's title, edited where it stands. Going elsewhere keeps what was written; Escape leaves it as it was. */
export function TitleEditor({ session, onDone }: Props) {
  const { platform } = useArki();
  const [title, setTitle] = useState(session.title);
  const [error, setError] = useState<CommandError | null>(null);
  const [saving, setSaving] = useState(false);
  const keep = async (byKey: boolean) => {
    if (saving) return;
    const words = title.trim();
    if (words === "" || words === session.title) return onDone(byKey);
    setSaving(true);
    try {
      await platform.call("rename_session", { sessionId: session.sessionId, title: words });
      onDone(byKey);
    } catch (thrown) {
      setError(asCommandError(thrown));
      setSaving(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // The arrows move in the title, and Escape leads no further than out of it.
    event.stopPropagation();
    if (event.key === "Escape" && !composes(event.nativeEvent)) {
      event.preventDefault();
      onDone(true);
    }
    if (!sends(event.nativeEvent)) return;
    event.preventDefault();
    void keep(true);
  };
  return (
    <>
      <input
        className="field session-title"
        aria-label={t`Title`}
        // biome-ignore lint/a11y/noAutofocus: the user asked to edit it
        autoFocus
        dir="auto"
        value={title}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setTitle(event.target.value)}
        onBlur={() => void keep(false)}
        onKeyDown={onKeyDown}
      />
      {error && (
        <p className="sessions-none small attention" role="alert">
          {error.message}
        </p>
      )}
    </>
  );
}
