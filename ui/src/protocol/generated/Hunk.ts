export type Hunk = { index: number, path: string, oldStart: number, oldLines: number, newStart: number, newLines: number };
