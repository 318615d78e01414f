/**
 * Parts of the window that are not in its first chunk: fetched when they are first shown, or by `fetchParts` once what
 * the user waits for is there.
 */
import { type ComponentType, lazy, type ReactNode, Suspense, useState } from "react";

const parts: (() => Promise<unknown>)[] = [];
let before: () => Promise<unknown> = () => Promise.resolve();

/** What every part needs besides, such as its words: it has come before any part is shown. */
export function fetchBeforeParts(fetch: () => Promise<unknown>): void {
  before = onceCome(fetch);
}

/** Fetches once; what failed is tried again by the next one who asks. */
function onceCome<T>(fetch: () => Promise<T>): () => Promise<T> {
  let coming: Promise<T> | null = null;
  return () => {
    coming ??= fetch().catch((failed: unknown) => {
      coming = null;
      throw failed;
    });
    return coming;
  };
}

/** `Meanwhile` has the part's place until it has come. */
export function lazily<Props extends object>(
  fetch: () => Promise<ComponentType<Props>>,
  Meanwhile: (props: Props) => ReactNode = () => null,
) {
  let here: ComponentType<Props> | null = null;
  const come = onceCome(async () => {
    const [part] = await Promise.all([fetch(), before()]);
    here = part;
    return { default: part };
  });
  parts.push(come);
  return function Part(props: Props) {
    // One and the same for as long as it is shown: another kind of element would lose what it holds.
    const [Shown] = useState<ComponentType<Props>>(() => here ?? lazy(come));
    return (
      <Suspense fallback={<Meanwhile {...props} />}>
        <Shown {...props} />
      </Suspense>
    );
  };
}

/** All that is not here yet, one after the other. What can't be fetched is told where it is shown. */
export async function fetchParts(): Promise<void> {
  for (const come of parts) await come().catch(() => undefined);
}
