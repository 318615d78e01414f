export type CommandError = { code: string, message: string, hint: string };
