/** How large everything is drawn. Kept for the next start. */
import { useEffect } from "react";
import { useRemembered } from "../components/remembered";
import { useArki } from "../platform/context";

/** In percent. */
const steps = [50, 67, 75, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300].map(String);
const usual = "100";

export function useZoom() {
  const { platform } = useArki();
  const [zoom, setZoom] = useRemembered("zoom", usual, steps);
  useEffect(() => {
    void platform.setZoom(Number(zoom) / 100).catch(() => undefined);
  }, [platform, zoom]);
  const step = (by: 1 | -1) => () => setZoom(steps[steps.indexOf(zoom) + by] ?? zoom);
  return { zoomIn: step(1), zoomOut: step(-1), zoomUsual: () => setZoom(usual) };
}
