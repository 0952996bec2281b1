/** The colour scheme for components. */
import { useSyncExternalStore } from "react";
import { onTheme, schemeNow, type Theme, themeNow } from "./theme.ts";

export const useTheme = (): Theme => useSyncExternalStore(onTheme, themeNow);

/** The scheme on the page. */
export const useScheme = (): "light" | "dark" => useSyncExternalStore(onTheme, schemeNow);
