import { i18n } from "@lingui/core";
import type { CommandError } from "../protocol/generated";
import { coded } from "./coded";
import { EngineWords } from "./ErrorNote";
import { errorMeanings } from "./error_meanings";

/** What an error's code means in the user's language, and below it what the engine says of this one. */
export function TranslatedError({ error }: { error: CommandError }) {
  const meaning = errorMeanings[error.code];
  if (meaning === undefined) return <EngineWords error={error} />;
  return (
    <>
      <p>
        <span aria-hidden>✕ </span>
        {i18n._(meaning)}
      </p>
      <p className="secondary" lang="en">
        {error.message} {coded(error.hint, (part) => part)}
      </p>
    </>
  );
}
