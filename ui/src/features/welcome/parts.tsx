import { lazily } from "../../components/lazily";

export const ModelChoice = lazily(() => import("./ModelChoice").then((part) => part.ModelChoice));
