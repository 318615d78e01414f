import { t } from "@lingui/core/macro";
import { Button } from "../../components/Button";
import { ErrorNote } from "../../components/ErrorNote";
import { useActs } from "../../components/useActs";
import { useArki } from "../../platform/context";

/** `name`: what comes from that file. */
type Props = { folder: string | null; path: string; name: string };

/** Opens the file that something configured comes from. */
export function OpenFile({ folder, path, name }: Props) {
  const { platform } = useArki();
  const { error, attempt } = useActs();
  if (!platform.can("open_configured")) return null;
  const open = () => attempt(() => platform.call("open_configured", { folder, path }));
  return (
    <>
      <Button
        small
        look="quiet"
        title={path}
        aria-label={t`Open in editor: ${name}`}
        onClick={() => void open()}
      >
        {t`Open in editor`}
      </Button>
      {error && <ErrorNote error={error} />}
    </>
  );
}
