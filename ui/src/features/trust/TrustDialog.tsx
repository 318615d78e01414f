/** Trust is given to contents, not to a path: this lists them, and what changed since they were agreed to. */
import { i18n, type MessageDescriptor } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { useRef, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { Dialog } from "../../components/Dialog";
import { ErrorNote } from "../../components/ErrorNote";
import { homePath } from "../../components/format";
import { useActs } from "../../components/useActs";
import { useArki } from "../../platform/context";
import type { ChangedPin, Pin, PinChange, ProjectState } from "../../protocol/generated";
import { groupPins, kindWords } from "./pins";
import "./trust.css";
import "../../components/form/form.css";
import { List } from "../../components/List";

type Props = { project: ProjectState; open: boolean; onClose: () => void };

export function TrustDialog({ project, open, onClose }: Props) {
  const arki = useArki();
  const keep = useRef<HTMLButtonElement>(null);
  const { busy, error, attempt } = useActs();
  const [agrees, setAgrees] = useState(false);
  const again = project.trust === "trusted" && project.changed.length > 0;
  const isAsked = project.trust !== "trusted" || again;
  const decide = async (trust: "trusted" | "untrusted") => {
    const unpinned = agrees ? project.unpinned.map(({ hash }) => hash) : [];
    if (await attempt(() => arki.setTrust(project.path, trust, unpinned))) onClose();
  };
  // Enter comes easily: what has the focus first leaves the folder as it is, or off.
  const footer = isAsked ? (
    <>
      <Button ref={keep} disabled={busy} onClick={() => decide("untrusted")}>
        {t`Keep untrusted`}
      </Button>
      <Button look="primary" disabled={busy} onClick={() => decide("trusted")}>
        {t`Trust folder`}
      </Button>
    </>
  ) : (
    <>
      <Button ref={keep} disabled={busy} onClick={onClose}>
        {t`Keep trusted`}
      </Button>
      <Button look="quiet" disabled={busy} onClick={() => decide("untrusted")}>
        {t`Withdraw trust`}
      </Button>
      {agrees && (
        <Button look="primary" disabled={busy} onClick={() => decide("trusted")}>
          {t`Turn on`}
        </Button>
      )}
    </>
  );
  const title = isAsked ? t`Trust this folder?` : t`This folder is trusted`;
  return (
    <Dialog title={title} open={open} onClose={onClose} footer={footer} initialFocus={keep}>
      <p className="trust-path mono">
        <VisibleText text={homePath(project.path)} />
      </p>
      {again ? <Changed changed={project.changed} /> : <Enables project={project} />}
      {project.unpinned.length > 0 && (
        <Unpinned pins={project.unpinned} agrees={agrees} onAgree={setAgrees} />
      )}
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
          ? t`Arki can propose edits and commands here, and the folder's own settings apply.`
          : t`If you trust this folder, Arki can propose edits and commands here. If not, it can only read.`}
      </p>
      {groups.length === 0 ? (
        <p className="secondary">
          {trusted
            ? t`The folder has nothing of its own that trust turns on.`
            : t`The folder has nothing of its own that trust would turn on.`}
        </p>
      ) : (
        <p className="secondary">{trusted ? t`Trust turns on:` : t`Trust also turns on the folder's own:`}</p>
      )}
      {groups.map(([kind, pins]) => (
        <Group key={kind} kind={kind} pins={pins} />
      ))}
    </>
  );
}

type UnpinnedProps = { pins: Pin[]; agrees: boolean; onAgree: (agrees: boolean) => void };

/** What stays off, unless the user agrees to just these. */
function Unpinned({ pins, agrees, onAgree }: UnpinnedProps) {
  const title = t`Stays off: hooks that Arki can't pin`;
  return (
    <section className="trust-group" aria-label={title}>
      <h3>{title}</h3>
      <List>
        {pins.map((pin) => (
          <li key={pin.hash} className="mono">
            <VisibleText text={pin.path.slice(pin.path.indexOf("#") + 1)} />
            {pin.note && <Note note={pin.note} />}
          </li>
        ))}
      </List>
      <label className="choice">
        <input type="checkbox" checked={agrees} onChange={(event) => onAgree(event.target.checked)} />{" "}
        {t`Turn these on anyway. What they run could change unseen.`}
      </label>
    </section>
  );
}

function Notices({ notices }: { notices: string[] }) {
  return (
    <section className="trust-group" aria-label={t`Worth knowing`}>
      <h3>{t`Worth knowing`}</h3>
      <List>
        {notices.map((notice) => (
          <li key={notice}>
            <VisibleText text={notice} />
          </li>
        ))}
      </List>
    </section>
  );
}

function Group({ kind, pins }: { kind: string; pins: Pin[] }) {
  return (
    <section className="trust-group">
      <h3>{kindWords(kind)}</h3>
      <List>
        {pins.map((pin) => (
          <li key={`${pin.path} ${pin.hash}`} className="mono" title={t`SHA-256 ${pin.hash}`}>
            <VisibleText text={pin.path} />
            {pin.note && <Note note={pin.note} />}
          </li>
        ))}
      </List>
    </section>
  );
}

const changes: Readonly<Record<PinChange, MessageDescriptor>> = {
  added: msg`added`,
  changed: msg`changed`,
  removed: msg`removed`,
};

function Changed({ changed }: { changed: ChangedPin[] }) {
  return (
    <>
      <p>
        {t`These parts of the folder changed after you approved them. They stay off until you approve the new version. Close this to leave them off. Keep the folder untrusted to turn everything off.`}
      </p>
      {changed.map((pin) => (
        <section key={`${pin.kind} ${pin.path}`} className="trust-group" aria-label={pin.path}>
          <h3>
            <code>
              <VisibleText text={pin.path} />
            </code>{" "}
            <span className="secondary">
              {kindWords(pin.kind)}, {i18n._(changes[pin.change])}
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
