/** A folder by its path, where no system's dialog can ask for it: in a browser. */
import { t } from "@lingui/core/macro";
import { type FormEvent, useId, useState } from "react";
import { Button } from "../components/Button";
import { Dialog } from "../components/Dialog";
import { FieldRow } from "../components/form/Fields";

type Props = { open: boolean; onClose: () => void; onOpen: (path: string) => void };

export function FolderDialog({ open, onClose, onOpen }: Props) {
  const [path, setPath] = useState("");
  const form = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onClose();
    onOpen(path.trim());
  };
  const footer = (
    <>
      <Button onClick={onClose}>{t`Cancel`}</Button>
      <Button look="primary" type="submit" form={form} disabled={path.trim() === ""}>
        {t`Open`}
      </Button>
    </>
  );
  return (
    <Dialog title={t`Open a folder`} open={open} onClose={onClose} footer={footer}>
      <form id={form} onSubmit={submit} data-typing>
        <FieldRow
          field={{
            key: "path",
            kind: "code",
            label: t`Path`,
            placeholder: "/home/ada/project",
            about: t`On the computer that Arki runs on.`,
          }}
          value={path}
          onChange={setPath}
        />
      </form>
    </Dialog>
  );
}
