/** Hooks, agents and skills: where each comes from, what it does, and why one is off. */
import { Agents } from "./Agents";
import { Hooks } from "./Hooks";
import { Skills } from "./Skills";

/** `folder`: the one that is open, whose own count too. */
export function Configured({ folder }: { folder: string | null }) {
  return (
    <>
      <Hooks folder={folder} />
      <Agents folder={folder} />
      <Skills folder={folder} />
    </>
  );
}
