/** A link, before it is opened: the whole true address, what about it could deceive, and what to do with it. */
import { t } from "@lingui/core/macro";
import { Trans } from "@lingui/react/macro";
import { type ReactNode, useId, useRef, useState } from "react";
import { Button } from "../../components/Button";
import { VisibleText } from "../../components/code/VisibleText";
import { copyText } from "../../components/copy";
import { Dialog } from "../../components/Dialog";
import { ErrorNote } from "../../components/ErrorNote";
import { useActs } from "../../components/useActs";
import { useArki } from "../../platform/context";
import { type Address, addressOf, otherAddressIn } from "./address";
import "./links.css";

type Props = {
  /** As `safeLink` has it. */
  url: string;
  /** What was clicked on. */
  text: string;
  onClose: () => void;
};

export function LinkDialog({ url, text, onClose }: Props) {
  const { platform } = useArki();
  const [copied, setCopied] = useState(false);
  const { error, attempt } = useActs();
  const about = useId();
  const copyButton = useRef<HTMLButtonElement>(null);
  const address = addressOf(url);
  const warnings = warningsOf(address, text);
  const open = async () => {
    if (await attempt(() => platform.openLink(url))) onClose();
  };
  const copy = async () => {
    await copyText(url);
    // Copying may have had to take the focus.
    copyButton.current?.focus();
    setCopied(true);
  };
  const footer = (
    <>
      <span className="secondary small grow" role="status">
        {copied && t`The address is copied.`}
      </span>
      <Button look="primary" aria-describedby={about} onClick={open}>
        {address.isMail ? t`Write email` : t`Open in browser`}
      </Button>
      <Button ref={copyButton} aria-describedby={about} onClick={copy}>
        {t`Copy address`}
      </Button>
    </>
  );
  return (
    <Dialog
      title={t`Open this link?`}
      open
      onClose={onClose}
      footer={footer}
      // Where there is something to look at first, Enter alone doesn't open it.
      initialFocus={warnings.length > 0 ? copyButton : undefined}
    >
      <div id={about} className="link-about">
        <p className="link-address" dir="ltr">
          <VisibleText text={address.before} />
          <strong>
            <VisibleText text={address.host} />
          </strong>
          <VisibleText text={address.after} />
        </p>
        {warnings.map((warning, place) => (
          <p key={`${place}`} className="link-warning">
            <b aria-hidden>!</b>
            <span>{warning}</span>
          </p>
        ))}
      </div>
      {error && <ErrorNote error={error} />}
    </Dialog>
  );
}

function warningsOf(address: Address, text: string): ReactNode[] {
  const { host, user, isInternational } = address;
  const other = otherAddressIn(text, address);
  const warnings: ReactNode[] = [
    other !== null && (
      <Trans>
        The link says{" "}
        <b>
          <VisibleText text={other} />
        </b>
        , but leads to{" "}
        <b>
          <VisibleText text={host} />
        </b>
        .
      </Trans>
    ),
    isInternational &&
      t`The site's name has letters beyond a to z, which can look like other letters. Check that it's the site you mean.`,
    user !== "" && (
      <Trans>
        <b>
          <VisibleText text={user} />
        </b>{" "}
        is a user name here, not the site.
      </Trans>
    ),
  ];
  return warnings.filter(Boolean);
}
