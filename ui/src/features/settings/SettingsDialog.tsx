import { Tabs } from "@base-ui/react/tabs";
import { t } from "@lingui/core/macro";
import { type RefObject, useEffect } from "react";
import { Dialog } from "../../components/Dialog";
import { useArki } from "../../platform/context";
import { Appearance, type Look } from "./Appearance";
import { McpServers } from "./McpServers";
import { Memory } from "./Memory";
import { Models } from "./Models";
import { Providers } from "./Providers";
import "./settings.css";

type Props = {
  open: boolean;
  onClose: () => void;
  /** What is shown first. */
  first: "models" | "memory";
  onReviewMemory: () => void;
  /** The focus goes there where a change of language took away what had it. */
  nextFocus: RefObject<HTMLElement | null>;
} & Look;

export function SettingsDialog({ open, onClose, first, onReviewMemory, nextFocus, ...look }: Props) {
  const arki = useArki();
  useEffect(() => {
    if (open) void arki.refreshCatalogue().then(arki.refreshLiveModels);
  }, [arki, open]);
  return (
    <Dialog title={t`Settings`} open={open} onClose={onClose} wide nextFocus={nextFocus}>
      <Tabs.Root key={first} defaultValue={first}>
        <Tabs.List className="tabs">
          <Tabs.Tab className="tab" value="models">
            {t`Models & providers`}
          </Tabs.Tab>
          <Tabs.Tab className="tab" value="mcp">
            {t`MCP servers`}
          </Tabs.Tab>
          <Tabs.Tab className="tab" value="memory">
            {t`Memory`}
          </Tabs.Tab>
          <Tabs.Tab className="tab" value="appearance">
            {t`Appearance`}
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel className="settings-panel" value="models">
          <Models />
          <Providers />
        </Tabs.Panel>
        <Tabs.Panel className="settings-panel" value="mcp">
          <McpServers />
        </Tabs.Panel>
        <Tabs.Panel className="settings-panel" value="memory">
          <Memory onReview={onReviewMemory} />
        </Tabs.Panel>
        <Tabs.Panel className="settings-panel" value="appearance">
          <Appearance {...look} />
        </Tabs.Panel>
      </Tabs.Root>
    </Dialog>
  );
}
