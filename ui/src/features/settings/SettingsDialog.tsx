import { Tabs } from "@base-ui/react/tabs";
import { t } from "@lingui/core/macro";
import { type ReactNode, type RefObject, useEffect } from "react";
import { Dialog } from "../../components/Dialog";
import { Keymap } from "../../components/Keymap";
import { TabList } from "../../components/TabList";
import { useArki } from "../../platform/context";
import { AllSettings } from "./AllSettings";
import { Appearance, type Chosen } from "./Appearance";
import { Configured } from "./Configured";
import { Desktop } from "./Desktop";
import { Limits } from "./Limits";
import { McpServers } from "./McpServers";
import { Memory } from "./Memory";
import { Models, Providers } from "./Providers";
import type { ShowCall } from "./RuleForm";
import { Rules } from "./Rules";
import "../../components/keys/keys.css";
import "./settings.css";

type Props = {
  open: boolean;
  onClose: () => void;
  /** What is shown first. */
  first: "models" | "rules" | "memory" | "desktop";
  /** The provider that a key is to be entered for at once. */
  keyOf: string | null;
  onReviewMemory: () => void;
  /** Shows a past call where it happened. */
  onCall: ShowCall;
  /** The one that is open, whose own configuration counts too. */
  folder: string | null;
  /** The focus goes there where a change of language took away what had it. */
  nextFocus: RefObject<HTMLElement | null>;
} & Chosen;

export function SettingsDialog(props: Props) {
  const { open, onClose, first, keyOf, onReviewMemory, onCall, folder, nextFocus, ...look } = props;
  const arki = useArki();
  useEffect(() => {
    if (open) void arki.refreshCatalogue().then(arki.refreshLiveModels);
  }, [arki, open]);
  const tabs = [
    ["models", t`Models & providers`],
    ["rules", t`Rules`],
    ["configured", t`Hooks, agents & skills`],
    ["mcp", t`MCP servers`],
    ["limits", t`Limits & storage`],
    ["memory", t`Memory`],
    ["appearance", t`Appearance`],
    ["desktop", t`Desktop`],
    ["shortcuts", t`Shortcuts`],
    ["all", t`All settings`],
  ] as const;
  const contents: Record<(typeof tabs)[number][0], ReactNode> = {
    models: (
      <>
        <Models />
        <Providers key={keyOf} keyOf={keyOf} />
      </>
    ),
    rules: <Rules folder={folder} onCall={onCall} />,
    configured: <Configured folder={folder} />,
    mcp: <McpServers />,
    limits: <Limits folder={folder} />,
    memory: <Memory onReview={onReviewMemory} />,
    appearance: <Appearance {...look} />,
    desktop: <Desktop />,
    shortcuts: <Keymap />,
    all: <AllSettings folder={folder} look={look} />,
  };
  return (
    <Dialog title={t`Settings`} open={open} onClose={onClose} wide="paned" nextFocus={nextFocus}>
      <Tabs.Root key={first} defaultValue={first} orientation="vertical" className="settings">
        <TabList tabs={tabs} />
        {tabs.map(([value]) => (
          <Tabs.Panel key={value} className="settings-panel" value={value}>
            {contents[value]}
          </Tabs.Panel>
        ))}
      </Tabs.Root>
    </Dialog>
  );
}
