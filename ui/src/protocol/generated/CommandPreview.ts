export type CommandPreview = { command: string, directory: string, environment: string[], sandbox: string, previewHash: string };
