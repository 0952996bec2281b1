/** Media queries, for components that have to know the result. */
import { useMemo, useSyncExternalStore } from "react";

export function useMatches(query: string): boolean {
  const { subscribe, matches } = useMemo(() => storeOf(matchMedia(query)), [query]);
  return useSyncExternalStore(subscribe, matches);
}

const storeOf = (media: MediaQueryList) => ({
  subscribe: (listener: () => void) => {
    media.addEventListener("change", listener);
    return () => media.removeEventListener("change", listener);
  },
  matches: () => media.matches,
});
