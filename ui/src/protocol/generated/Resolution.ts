export type Resolution = { decision: "approve" | "reject", hunks: number[] | null, edited: Record<number, string> | null, note: string | null, previewHash: string };
