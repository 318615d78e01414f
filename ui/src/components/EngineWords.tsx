import type { CommandError } from "../protocol/generated";
import { coded } from "./coded";

/** An error as the engine tells it, which speaks English. */
export function EngineWords({ error }: { error: CommandError }) {
  return (
    <>
      <p>
        <span aria-hidden>✕ </span>
        {error.message}
      </p>
      {error.hint && <p className="secondary">{coded(error.hint, (part) => part)}</p>}
    </>
  );
}
