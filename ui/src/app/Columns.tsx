import { t } from "@lingui/core/macro";
import type { ReactNode } from "react";
import { Handle } from "./Handle";
import type { Pane } from "./layout_state";

type Props = {
  sidebarPane: Pane;
  inspectorPane: Pane;
  sidebar: ReactNode | null;
  main: ReactNode;
  inspector: ReactNode | null;
  /** In the place of an inspector that is closed. */
  rail: ReactNode | null;
  status: ReactNode;
  onScrim: () => void;
};

/** Three columns over a status bar. Without room, the inspector and then the sidebar float above the middle. */
export function Columns({
  sidebarPane,
  inspectorPane,
  sidebar,
  main,
  inspector,
  rail,
  status,
  onScrim,
}: Props) {
  const floatingLeft = sidebarPane.floats && sidebar !== null;
  const floatingRight = inspectorPane.floats && inspector !== null;
  return (
    <div className="columns">
      <div className="columns-row">
        {sidebar && (
          <div className={floatingLeft ? "pane drawer" : "pane"} style={{ width: sidebarPane.width }}>
            {sidebar}
          </div>
        )}
        {sidebar && !floatingLeft && <Handle label={t`Width of the sessions`} pane={sidebarPane} grows={1} />}
        <div className="pane middle">{main}</div>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape does the same from the keyboard */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same from the keyboard */}
        {(floatingLeft || floatingRight) && <div className="pane-scrim" onClick={onScrim} />}
        {inspector && !floatingRight && (
          <Handle label={t`Width of the inspector`} pane={inspectorPane} grows={-1} />
        )}
        {inspector && (
          <div className={floatingRight ? "pane sheet" : "pane"} style={{ width: inspectorPane.width }}>
            {inspector}
          </div>
        )}
        {rail}
      </div>
      {status}
    </div>
  );
}
