/** Leads to the permission rules in the settings, from wherever a decision is explained; null where there are none. */
import { createContext } from "react";

export const OpenRulesContext = createContext<(() => void) | null>(null);
