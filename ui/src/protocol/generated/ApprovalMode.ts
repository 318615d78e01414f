export type ApprovalMode = "ask" | "edits" | "all";
