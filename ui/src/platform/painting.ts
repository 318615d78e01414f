/** A hidden window paints nothing, but goes on. */
const hiddenMs = 200;

/**
 * Runs it once the next frame has been painted; the answer keeps it from running. Not within that frame: it would be
 * drawn together with what was changed before, and both together late.
 */
export function whenPainted(run: () => void): () => void {
  const cancel = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
  const done = () => {
    cancel();
    run();
  };
  const frame = requestAnimationFrame(() => {
    clearTimeout(timer);
    timer = setTimeout(done, 0);
  });
  let timer = setTimeout(done, hiddenMs);
  return cancel;
}
