import type { ModelEntry } from "../../protocol/generated";
import { contextWords } from "../format";
import type { Choice } from "./Fields";

/** Each model by its id, with the size of its context where that is known. */
export function modelChoices(models: readonly ModelEntry[]): Choice[] {
  return models.map((model) => {
    const words = contextWords(model);
    return [model.id, words ? `${model.id} (${words})` : model.id];
  });
}
