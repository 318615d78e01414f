import { t } from "@lingui/core/macro";
import type { Command } from "../../components/commands";
import { Dialog } from "../../components/Dialog";
import { Keymap } from "../../components/Keymap";

type Props = { open: boolean; onClose: () => void; commands: Command[] };

export function KeyboardMap({ open, onClose, commands }: Props) {
  return (
    <Dialog title={t`Keyboard`} open={open} onClose={onClose} wide>
      <Keymap commands={commands} />
    </Dialog>
  );
}
