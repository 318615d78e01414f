import { VisibleText } from "../../components/code/VisibleText";

type Props = { title?: string; look?: "before" | "now"; text: string };

/** What a server says of itself: as it is, with nothing hidden in it. */
export function ServerText({ title, look, text }: Props) {
  return (
    <>
      {title && <p className="small secondary">{title}</p>}
      <pre className={`output mcp-text ${look ?? ""}`} tabIndex={0}>
        <VisibleText text={text} />
      </pre>
    </>
  );
}
