import { plural, t } from "@lingui/core/macro";
import { Button } from "../../components/Button";
import { useArki, useSessionPart } from "../../platform/context";

/** How many events there are in a view, and the ways to those that are not loaded. */
export function LoadedFoot({ count, sessionId }: { count: number; sessionId: string }) {
  const { hasOlder, hasNewer } = useSessionPart(sessionId, (view) => view.window);
  const isFetching = useSessionPart(sessionId, (view) => view.fetching) !== null;
  const session = useArki().session(sessionId);
  return (
    <div className="timeline-foot small secondary">
      <span className="grow">
        {plural(count, { one: "# event", other: "# events" })}
        {hasOlder ? t` of those loaded` : ""}
      </span>
      {hasNewer && (
        <Button small look="quiet" disabled={isFetching} onClick={() => session.load()}>
          {t`Load newest`}
        </Button>
      )}
      {hasOlder && (
        <Button small look="quiet" disabled={isFetching} onClick={() => session.loadOlder()}>
          {t`Load earlier`}
        </Button>
      )}
    </div>
  );
}
