import { t } from "@lingui/core/macro";
import { Dialog } from "../../components/Dialog";
import { Keymap } from "../../components/Keymap";

type Props = { open: boolean; onClose: () => void };

export function KeyboardMap({ open, onClose }: Props) {
  return (
    <Dialog title={t`Keyboard`} open={open} onClose={onClose} wide="most">
      <Keymap />
    </Dialog>
  );
}
