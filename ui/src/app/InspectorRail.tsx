import { Tabs } from "@base-ui/react/tabs";
import { t } from "@lingui/core/macro";
import { Cpu, FileDiff, Layers, ListChecks, type LucideIcon, Waypoints } from "lucide-react";
import { useCommandKeys, withKeys } from "../components/command_keys";
import type { Tab } from "./window_state";
import "./inspector.css";

type Props = { onTab: (tab: Tab) => void };

/** The inspector while it is closed: a way to each of its tabs, and room for the conversation. */
export function InspectorRail({ onTab }: Props) {
  return (
    <aside className="inspector-rail" aria-label={t`Inspector`}>
      <Tabs.Root
        value={null}
        orientation="vertical"
        onValueChange={(next: Tab | null) => next && onTab(next)}
      >
        <Tabs.List className="rail">
          <Entry tab="changes" label={t`Changes`} Icon={FileDiff} />
          <Entry tab="timeline" label={t`Timeline`} Icon={Waypoints} />
          <Entry tab="plan" label={t`Plan`} Icon={ListChecks} />
          <Entry tab="context" label={t`Context`} Icon={Layers} />
          <Entry tab="processes" label={t`Processes`} Icon={Cpu} />
        </Tabs.List>
      </Tabs.Root>
    </aside>
  );
}

function Entry({ tab, label, Icon }: { tab: Tab; label: string; Icon: LucideIcon }) {
  const keys = useCommandKeys();
  return (
    <Tabs.Tab className="rail-tab" value={tab} aria-label={label} title={withKeys(label, keys[tab])}>
      <Icon size={16} aria-hidden />
    </Tabs.Tab>
  );
}
