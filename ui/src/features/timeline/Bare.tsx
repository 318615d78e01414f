import type { CSSProperties, ReactNode, Ref } from "react";

type Props = { style: CSSProperties; children: ReactNode; ref?: Ref<HTMLDivElement> };

/** What a virtual list has between itself and its rows. WebKit takes a tree with anything else in it for none. */
export function Bare({ style, children, ref }: Props) {
  return (
    <div ref={ref} role="presentation" style={style}>
      {children}
    </div>
  );
}
