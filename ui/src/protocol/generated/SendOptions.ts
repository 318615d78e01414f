import type { ApprovalMode } from "./ApprovalMode";

export type SendOptions = { model: string | null, approve: ApprovalMode };
