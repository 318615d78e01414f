import { lazily } from "../../components/lazily";

export const Examples = lazily(() => import("./Examples").then((part) => part.Examples));

export const ModelChoice = lazily(() => import("./ModelChoice").then((part) => part.ModelChoice));
