/** A catalogue that changes while it is used: every read sees what is installed at that time. */
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
    packageFor: (wanted) => current.packageFor(wanted),
    refresh() {
      current = build();
    },
  };
}
