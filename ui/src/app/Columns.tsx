import type { ReactNode } from "react";
import { Handle } from "./Handle";
import { inspectorWidth, type Room, sidebarWidth, useWidth } from "./layout_state";

type Props = {
  room: Room;
  sidebar: ReactNode | null;
  main: ReactNode;
  inspector: ReactNode | null;
  status: ReactNode;
  onScrim: () => void;
};

/** Three columns over a status bar. Without room, the inspector and then the sidebar float above the middle. */
export function Columns({ room, sidebar, main, inspector, status, onScrim }: Props) {
  const [left, setLeft] = useWidth("sidebarWidth", sidebarWidth);
  const [right, setRight] = useWidth("inspectorWidth", inspectorWidth);
  const floatingLeft = room === "one" && sidebar !== null;
  const floatingRight = room !== "three" && inspector !== null;
  return (
    <div className={`columns room-${room}`}>
      <div className="columns-row">
        {sidebar && (
          <div className={floatingLeft ? "pane drawer" : "pane"} style={{ width: left }}>
            {sidebar}
          </div>
        )}
        {sidebar && !floatingLeft && (
          <Handle
            label="Width of the sessions"
            width={left}
            bounds={sidebarWidth}
            grows={1}
            onWidth={setLeft}
          />
        )}
        <div className="pane middle">{main}</div>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: Escape does the same from the keyboard */}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same from the keyboard */}
        {(floatingLeft || floatingRight) && <div className="pane-scrim" onClick={onScrim} />}
        {inspector && !floatingRight && (
          <Handle
            label="Width of the inspector"
            width={right}
            bounds={inspectorWidth}
            grows={-1}
            onWidth={setRight}
          />
        )}
        {inspector && (
          <div className={floatingRight ? "pane sheet" : "pane"} style={{ width: right }}>
            {inspector}
          </div>
        )}
      </div>
      {status}
    </div>
  );
}
