import { t } from "@lingui/core/macro";
import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { homePath } from "../../components/format";
import { IconButton } from "../../components/IconButton";
import type { MemoryEntry } from "../../protocol/generated";
import { MemoryEditor } from "./MemoryEditor";

type Props = {
  entry: MemoryEntry;
  onEdit: (text: string) => Promise<boolean>;
  onRemove: () => Promise<boolean>;
};

export function Accepted({ entry, onEdit, onRemove }: Props) {
  const [editing, setEditing] = useState(false);
  const about = `memory-${entry.id}`;
  if (editing) {
    return (
      <li className="memory">
        <MemoryEditor
          text={entry.text}
          save={t`Save`}
          onSave={async (text) => {
            const done = await onEdit(text);
            if (done) setEditing(false);
            return done;
          }}
          onCancel={() => setEditing(false)}
        />
      </li>
    );
  }
  return (
    <li className="memory memory-accepted">
      <div className="grow">
        <p id={about} className="memory-text" dir="auto">
          {entry.text}
        </p>
        {entry.path !== null && (
          <p className="small secondary cut" title={entry.path}>
            {homePath(entry.path)}
          </p>
        )}
        {!entry.used && (
          <p className="small attention">
            {t`! Not used: its file has changed since you trusted it. Review the folder's trust.`}
          </p>
        )}
      </div>
      <IconButton
        label={t`Edit memory`}
        aria-describedby={about}
        icon={Pencil}
        onClick={() => setEditing(true)}
      />
      <IconButton label={t`Remove memory`} aria-describedby={about} icon={Trash2} onClick={onRemove} />
    </li>
  );
}
