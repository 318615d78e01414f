import { useEffect, useState } from "react";
import { asCommandError } from "../../platform/platform";
import type { CommandError, RewindPreview } from "../../protocol/generated";

export type PreviewState = { preview: RewindPreview | null; error: CommandError | null };

/** The dry run for what is asked; a later question's answer is never overtaken by an earlier one's. */
export function usePreview(ask: () => Promise<RewindPreview>, of: string): PreviewState {
  const [state, setState] = useState<PreviewState & { of: string }>({ preview: null, error: null, of });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `of` names what is asked
  useEffect(() => {
    let current = true;
    ask().then(
      (preview) => current && setState({ preview, error: null, of }),
      (thrown) => current && setState({ preview: null, error: asCommandError(thrown), of }),
    );
    return () => {
      current = false;
    };
  }, [of]);
  return state.of === of ? state : { preview: null, error: null };
}
