/** Trust is given to contents, not to a path: this lists them, and what changed since they were agreed to. */
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { useRef, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { Dialog } from "../../components/Dialog";
import { ErrorNote } from "../../components/ErrorNote";
import { homePath } from "../../components/format";
import { useArki } from "../../platform/context";
import { asCommandError } from "../../platform/platform";
import type { ChangedPin, CommandError, Pin, ProjectState } from "../../protocol/generated";
import { groupPins, kindWords } from "./pins";
import "./trust.css";

type Props = { project: ProjectState; open: boolean; onClose: () => void };

export function TrustDialog({ project, open, onClose }: Props) {
  const arki = useArki();
  const keep = useRef<HTMLButtonElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<CommandError | null>(null);
  const again = project.trust === "trusted" && project.changed.length > 0;
  const decide = async (trust: "trusted" | "untrusted") => {
    setBusy(true);
    setError(null);
    try {
      await arki.setTrust(project.path, trust);
      onClose();
    } catch (thrown) {
      setError(asCommandError(thrown));
    } finally {
      setBusy(false);
    }
  };
  const footer = (
    <>
      <Button ref={keep} disabled={busy} onClick={() => decide("untrusted")}>
        {t`Keep untrusted`}
      </Button>
      {(project.trust !== "trusted" || again) && (
        <Button look="primary" disabled={busy} onClick={() => decide("trusted")}>
          {t`Trust folder`}
        </Button>
      )}
    </>
  );
  return (
    <Dialog title={t`Trust this folder?`} open={open} onClose={onClose} footer={footer} initialFocus={keep}>
      <p className="trust-path mono">
        <VisibleText text={homePath(project.path)} />
      </p>
      {again ? <Changed changed={project.changed} /> : <Enables project={project} />}
      {project.notices.length > 0 && <Notices notices={project.notices} />}
      {error && <ErrorNote error={error} />}
    </Dialog>
  );
}

function Enables({ project }: { project: ProjectState }) {
  const trusted = project.trust === "trusted";
  const groups = groupPins(project.enables);
  return (
    <>
      <p>
        {trusted
          ? t`You trust this folder. Arki may propose edits and commands here, and the folder's own settings apply.`
          : t`Trusting it lets Arki propose edits and commands here. Untrusted, it can only read.`}
      </p>
      {groups.length === 0 ? (
        <p className="secondary">
          <Trans>Nothing in the folder itself {trusted ? t`is` : t`would be`} turned on by trust.</Trans>
        </p>
      ) : (
        <p className="secondary">
          {trusted ? t`Turned on by it:` : t`It also turns on what the folder brings along:`}
        </p>
      )}
      {groups.map(([kind, pins]) => (
        <Group key={kind} kind={kind} pins={pins} />
      ))}
    </>
  );
}

function Notices({ notices }: { notices: string[] }) {
  return (
    <section className="trust-group" aria-label={t`Worth knowing`}>
      <h3>{t`Worth knowing`}</h3>
      <ul>
        {notices.map((notice) => (
          <li key={notice}>
            <VisibleText text={notice} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Group({ kind, pins }: { kind: string; pins: Pin[] }) {
  return (
    <section className="trust-group">
      <h3>{kindWords(kind)}</h3>
      <ul>
        {pins.map((pin) => (
          <li key={`${pin.path} ${pin.hash}`} className="mono" title={t`SHA-256 ${pin.hash}`}>
            <VisibleText text={pin.path} />
            {pin.note && <Note note={pin.note} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Changed({ changed }: { changed: ChangedPin[] }) {
  return (
    <>
      <p>
        {t`These parts of the folder changed since you agreed to them. Each is off until you have seen the difference and agree again; close this to leave them off. Keeping the folder untrusted turns everything off.`}
      </p>
      {changed.map((pin) => (
        <section key={`${pin.kind} ${pin.path}`} className="trust-group" aria-label={pin.path}>
          <h3>
            <code>
              <VisibleText text={pin.path} />
            </code>{" "}
            <span className="secondary">
              {kindWords(pin.kind).toLowerCase()}, {pin.change}
            </span>
          </h3>
          {pin.note && <Note note={pin.note} />}
          {pin.diff && (
            <pre className="trust-diff">
              {pin.diff.split("\n").map((line, row) => (
                <span key={`${row}`} className={lineLook(line)}>
                  <VisibleText text={line} />
                  {"\n"}
                </span>
              ))}
            </pre>
          )}
        </section>
      ))}
    </>
  );
}

/** What a piece does, where its path does not say. */
function Note({ note }: { note: string }) {
  return (
    <p className="trust-note">
      <VisibleText text={note} />
    </p>
  );
}

function lineLook(line: string): string {
  if (line.startsWith("+") && !line.startsWith("+++")) return "line added";
  if (line.startsWith("-") && !line.startsWith("---")) return "line removed";
  return "line";
}
