/** What is around code: the language that it says it is in, and buttons to wrap its lines and to copy it. */
import { t } from "@lingui/core/macro";
import { Copy, WrapText } from "lucide-react";
import { type ReactNode, useState } from "react";
import { copyText } from "../copy";
import { IconButton } from "../IconButton";
import "./code.css";

/** What a language may be called: what else stands at a fence is not shown as if Arki said it. */
const languageName = /^[\w.+#-]{1,24}$/;

type Props = {
  /** As it stands at the fence; empty where it doesn't. */
  language: string;
  whole: () => string;
  children: (wraps: boolean) => ReactNode;
};

export function CodeFrame({ language: told, whole, children }: Props) {
  const language = languageName.test(told) ? told : "";
  const [wraps, setWraps] = useState(false);
  return (
    <div className={wraps ? "code-block wraps" : "code-block"}>
      <div className={language === "" ? "code-head bare" : "code-head"}>
        {language !== "" && <span className="small secondary cut grow">{language}</span>}
        <IconButton
          label={t`Wrap lines`}
          aria-pressed={wraps}
          icon={WrapText}
          onClick={() => setWraps(!wraps)}
        />
        <IconButton label={t`Copy code`} icon={Copy} onClick={() => copyText(whole())} />
      </div>
      <pre tabIndex={0} role="group" aria-label={t`Code`}>
        {children(wraps)}
      </pre>
    </div>
  );
}
