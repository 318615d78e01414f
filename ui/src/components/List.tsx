import type { ComponentProps } from "react";

/**
 * A list without markers. Where it has one entry, or had one at first, WebKit tells assistive technology of a group
 * unless its role says what it is.
 */
export function List(props: ComponentProps<"ul">) {
  // biome-ignore lint/a11y/noRedundantRoles: see above
  return <ul role="list" {...props} />;
}
