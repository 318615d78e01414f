/** A hidden window paints nothing, but goes on. */
const hiddenMs = 200;

/** Runs it with the next frame; the answer keeps it from running. */
export function whenPainted(run: () => void): () => void {
  const cancel = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  const done = () => {
    cancel();
    run();
  };
  const frame = requestAnimationFrame(done);
  const timer = setTimeout(done, hiddenMs);
  return cancel;
}
