import { Dialog as Base } from "@base-ui/react/dialog";
import { Command as Cmdk } from "cmdk";
import type { Command } from "../../components/commands";
import { showShortcut } from "../../components/shortcuts";
import "./palette.css";

type Props = { open: boolean; onClose: () => void; commands: Command[] };

export function Palette({ open, onClose, commands }: Props) {
  const sections = [...new Set(commands.map((command) => command.section))];
  const run = (command: Command) => {
    onClose();
    // After the dialog has given the focus back, so that a command may place it elsewhere.
    setTimeout(command.run, 0);
  };
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className="dialog palette" aria-label="Command palette">
          <Cmdk label="Command palette" loop>
            <Cmdk.Input className="palette-input" placeholder="What do you want to do?" autoFocus />
            <Cmdk.List className="palette-list">
              <Cmdk.Empty className="palette-empty secondary">Nothing by that name.</Cmdk.Empty>
              {sections.map((section) => (
                <Cmdk.Group key={section} heading={section} className="palette-group">
                  {commands
                    .filter((command) => command.section === section)
                    .map((command) => (
                      <Cmdk.Item
                        key={command.id}
                        value={`${command.title} ${command.id}`}
                        className="palette-item"
                        onSelect={() => run(command)}
                      >
                        <span className="cut grow">{command.title}</span>
                        {command.shortcut && <kbd>{showShortcut(command.shortcut)}</kbd>}
                      </Cmdk.Item>
                    ))}
                </Cmdk.Group>
              ))}
            </Cmdk.List>
          </Cmdk>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
