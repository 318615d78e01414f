import { Tabs } from "@base-ui/react/tabs";
import "./tabs.css";

/** The tabs of a `Tabs.Root`, by their values and words. */
export function TabList({
  tabs,
}: {
  tabs: readonly (readonly [value: string, words: string, ...unknown[]])[];
}) {
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
