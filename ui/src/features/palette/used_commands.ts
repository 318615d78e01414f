/** The commands that were run from the palette last, kept in this window. */
import { recall, remember } from "../../components/remembered";

const key = "palette";
const most = 3;

export const usedCommands = (): string[] => (recall(key) ?? "").split(" ").filter(Boolean);

export function keepUsed(id: string): void {
  remember(key, [id, ...usedCommands().filter((one) => one !== id)].slice(0, most).join(" "));
}
