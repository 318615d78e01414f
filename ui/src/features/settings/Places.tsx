import { VisibleText } from "../../components/code/VisibleText";
import { homePath } from "../../components/format";

/** Files, one behind the other. */
export function Places({ paths }: { paths: readonly string[] }) {
  return paths.map((path, place) => (
    <span key={path} title={path}>
      {place > 0 && ", "}
      <VisibleText text={homePath(path)} />
    </span>
  ));
}
