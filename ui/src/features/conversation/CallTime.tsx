import { t } from "@lingui/core/macro";
import { duration } from "../../components/format";

/** How long calls took; nothing where it was no time worth telling. */
export function CallTime({ ms }: { ms: number }) {
  if (ms < 1) return null;
  return (
    <span className="tool-time small secondary" title={t`${ms} ms`}>
      {duration(ms)}
    </span>
  );
}
