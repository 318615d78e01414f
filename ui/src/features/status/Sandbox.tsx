import { t } from "@lingui/core/macro";
import { ShieldCheck, ShieldOff } from "lucide-react";
import { useId } from "react";
import { sandboxWords } from "../../components/sandbox_words";

/** A shield, with its details for who points at it or comes to it by key. */
export function Sandbox({ name }: { name: string }) {
  const details = useId();
  const none = name === "none";
  const words = none
    ? t`No sandbox: Arki asks before every command`
    : t`Commands are confined by ${sandboxWords(name)}`;
  const Shield = none ? ShieldOff : ShieldCheck;
  return (
    <span className="status-shield">
      <button
        type="button"
        className={none ? "status-button status-attention" : "status-button"}
        aria-label={t`Sandbox`}
        aria-describedby={details}
      >
        <Shield size={14} aria-hidden />
      </button>
      <span id={details} role="tooltip" className="menu status-details">
        {words}
      </span>
    </span>
  );
}
