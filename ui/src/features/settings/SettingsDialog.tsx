import { Tabs } from "@base-ui/react/tabs";
import { t } from "@lingui/core/macro";
import { type RefObject, useEffect } from "react";
import { Dialog } from "../../components/Dialog";
import { Keymap } from "../../components/Keymap";
import { useArki } from "../../platform/context";
import { AllSettings } from "./AllSettings";
import { Appearance, type Look } from "./Appearance";
import { Configured } from "./Configured";
import { Desktop } from "./Desktop";
import { Limits } from "./Limits";
import { McpServers } from "./McpServers";
import { Memory } from "./Memory";
import { Models } from "./Models";
import { Providers } from "./Providers";
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
} & Look;

export function SettingsDialog(props: Props) {
  const { open, onClose, first, keyOf, onReviewMemory, onCall, folder, nextFocus, ...look } = props;
  const arki = useArki();
  useEffect(() => {
    if (open) void arki.refreshCatalogue().then(arki.refreshLiveModels);
  }, [arki, open]);
  return (
    <Dialog title={t`Settings`} open={open} onClose={onClose} wide="paned" nextFocus={nextFocus}>
      <Tabs.Root key={first} defaultValue={first} orientation="vertical" className="settings">
        <Tabs.List className="tabs">
          <Tabs.Tab className="tab" value="models">
            {t`Models & providers`}
          </Tabs.Tab>
          <Tabs.Tab className="tab" value="rules">
            {t`Rules`}
          </Tabs.Tab>
          <Tabs.Tab className="tab" value="configured">
            {t`Hooks, agents & skills`}
          </Tabs.Tab>
          <Tabs.Tab className="tab" value="mcp">
            {t`MCP servers`}
          </Tabs.Tab>
          <Tabs.Tab className="tab" value="limits">
            {t`Limits & storage`}
          </Tabs.Tab>
          <Tabs.Tab className="tab" value="memory">
            {t`Memory`}
          </Tabs.Tab>
          <Tabs.Tab className="tab" value="appearance">
            {t`Appearance`}
          </Tabs.Tab>
          <Tabs.Tab className="tab" value="desktop">
            {t`Desktop`}
          </Tabs.Tab>
          <Tabs.Tab className="tab" value="shortcuts">
            {t`Shortcuts`}
          </Tabs.Tab>
          <Tabs.Tab className="tab" value="all">
            {t`All settings`}
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel className="settings-panel" value="models">
          <Models />
          <Providers key={keyOf} keyOf={keyOf} />
        </Tabs.Panel>
        <Tabs.Panel className="settings-panel" value="rules">
          <Rules folder={folder} onCall={onCall} />
        </Tabs.Panel>
        <Tabs.Panel className="settings-panel" value="configured">
          <Configured folder={folder} />
        </Tabs.Panel>
        <Tabs.Panel className="settings-panel" value="mcp">
          <McpServers />
        </Tabs.Panel>
        <Tabs.Panel className="settings-panel" value="limits">
          <Limits folder={folder} />
        </Tabs.Panel>
        <Tabs.Panel className="settings-panel" value="memory">
          <Memory onReview={onReviewMemory} />
        </Tabs.Panel>
        <Tabs.Panel className="settings-panel" value="appearance">
          <Appearance {...look} />
        </Tabs.Panel>
        <Tabs.Panel className="settings-panel" value="desktop">
          <Desktop />
        </Tabs.Panel>
        <Tabs.Panel className="settings-panel" value="shortcuts">
          <Keymap />
        </Tabs.Panel>
        <Tabs.Panel className="settings-panel" value="all">
          <AllSettings folder={folder} />
        </Tabs.Panel>
      </Tabs.Root>
    </Dialog>
  );
}
