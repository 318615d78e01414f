import { t } from "@lingui/core/macro";
import { type ReactNode, useLayoutEffect, useRef } from "react";
import { forth } from "../components/direction";
import { glide } from "../components/glide";
import type { Pane, ReviewMode } from "./layout";
import { Handle } from "./parts";

type Props = {
  sidebarPane: Pane;
  inspectorPane: Pane;
  review: ReviewMode;
  sidebar: ReactNode | null;
  main: ReactNode;
  inspector: ReactNode | null;
  /** In the place of an inspector that is closed. */
  rail: ReactNode | null;
  status: ReactNode;
  onScrim: () => void;
};

/**
 * Three columns over a status bar. Without room, the inspector and then the sidebar float above the middle. In review
 * mode the inspector has the room of the middle.
 */
export function Columns(props: Props) {
  const { sidebarPane, inspectorPane, review, sidebar, main, inspector, rail, status, onScrim } = props;
  const floatingLeft = sidebarPane.floats && sidebar !== null;
  const floatingRight = inspectorPane.floats && inspector !== null;
  const talk = review.rail;
  const beside = sidebar && !floatingLeft ? sidebarPane.width : 0;
  const inspectorColumn = useGlide(
    review.isOn,
    talk ? beside + talk.width : window.innerWidth - inspectorPane.width,
  );
  return (
    <div className="columns">
      <div className="columns-row">
        {sidebar && (
          <div className={floatingLeft ? "pane drawer" : "pane"} style={{ width: sidebarPane.width }}>
            {sidebar}
          </div>
        )}
        {sidebar && !floatingLeft && <Handle label={t`Width of the sessions`} pane={sidebarPane} grows={1} />}
        <div className={talk ? "pane talk" : "pane middle"} style={talk ? { width: talk.width } : undefined}>
          {main}
        </div>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape does the same from the keyboard */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same from the keyboard */}
        {(floatingLeft || floatingRight) && <div className="pane-scrim" onClick={onScrim} />}
        {inspector && !floatingRight && (
          <Handle
            label={talk ? t`Width of the conversation` : t`Width of the inspector`}
            pane={talk ?? inspectorPane}
            grows={talk ? 1 : -1}
          />
        )}
        {inspector && (
          <div
            ref={inspectorColumn}
            className={floatingRight ? "pane sheet" : talk ? "pane middle" : "pane"}
            style={talk ? undefined : { width: inspectorPane.width }}
          >
            {inspector}
          </div>
        )}
        {rail}
      </div>
      {status}
    </div>
  );
}

/** Shows where the inspector went with review mode. `begins`: how far from the window's start it is. */
function useGlide(isReviewing: boolean, begins: number) {
  const element = useRef<HTMLDivElement>(null);
  const before = useRef({ isReviewing, begins });
  useLayoutEffect(() => {
    const { current } = before;
    before.current = { isReviewing, begins };
    if (current.isReviewing !== isReviewing && element.current)
      glide(element.current, (current.begins - begins) * forth(), 0);
  }, [isReviewing, begins]);
  return element;
}
