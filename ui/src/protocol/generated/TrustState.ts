export type TrustState = "trusted" | "untrusted" | "undecided";
