import type { ProjectState } from "./ProjectState";

export type AppState = { version: string, dataDir: string, project: ProjectState | null, recentProjects: string[], defaultModel: string, sandbox: string };
