/** A catalogue that can change while it is used: whoever asks gets what is true then. */
import type { Catalogue } from "./catalogue.ts";

export type LiveCatalogue = Catalogue & { refresh(): void };

export function liveCatalogue(build: () => Catalogue): LiveCatalogue {
  let current = build();
  return {
    get entries() {
      return current.entries;
    },
    get voices() {
      return current.voices;
    },
    find: (name) => current.find(name),
    refresh() {
      current = build();
    },
  };
}
