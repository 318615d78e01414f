export type KeySource = "keychain" | "environment" | "none_needed" | "missing";
