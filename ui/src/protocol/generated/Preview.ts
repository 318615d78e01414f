import type { Hunk } from "./Hunk";

export type Preview = { filesAffected: string[], linesChanged: number, diff: string, hunks: Hunk[], previewHash: string };
