import { Tabs } from "@base-ui/react/tabs";
import "./tabs.css";

type Props = { tabs: readonly (readonly [value: string, words: string, ...unknown[]])[] };

/** The tabs of a `Tabs.Root`, by their values and words. */
export function TabList({ tabs }: Props) {
  return (
    <Tabs.List className="tabs">
      {tabs.map(([value, words]) => (
        <Tabs.Tab key={value} className="tab" value={value}>
          {words}
        </Tabs.Tab>
      ))}
    </Tabs.List>
  );
}
