import { t } from "@lingui/core/macro";
import { exact } from "../../components/format";
import { groupTitle, type PartGroup, percent } from "./parts";

type Props = { groups: readonly PartGroup[]; total: number; window: number | null };

/** What fills the model's window, each kind of part as wide as its share; without a known window, of all that is sent. */
export function PartBar({ groups, total, window }: Props) {
  const whole = Math.max(window ?? total, total, 1);
  const filled = groups.filter((group) => group.tokens > 0);
  const words = filled.map((group) => `${groupTitle(group.kind)} ${percent(group.tokens / whole)} %`);
  const free = whole - total;
  if (free > 0) words.push(t`free ${percent(free / whole)} %`);
  return (
    <div className="part-bar" role="img" aria-label={words.join(", ")}>
      {filled.map((group) => (
        <span
          key={group.kind}
          className={`part-piece part-${group.kind}`}
          style={{ flexGrow: group.tokens }}
          title={`${groupTitle(group.kind)}: ${exact(group.tokens)}`}
        />
      ))}
      {free > 0 && <span className="part-free" style={{ flexGrow: free }} />}
    </div>
  );
}
