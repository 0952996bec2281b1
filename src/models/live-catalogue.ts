/** A catalogue that changes while it is used: every read sees what is installed at that time. */
import type { Plan } from "../plans.ts";
import type { Alias } from "./aliases.ts";
import { type Catalogue, withNames } from "./catalogue.ts";

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
    get cloningPackage() {
      return current.cloningPackage;
    },
    get diarizer() {
      return current.diarizer;
    },
    get names() {
      return current.names;
    },
    find: (name) => current.find(name),
    packageFor: (needs) => current.packageFor(needs),
    refresh() {
      current = build();
    },
  };
}

/** What a caller may name, by the plan of its organization. */
export type CatalogueFor = (plan: Plan) => Catalogue;

/**
 * Prepaid organizations name what the catalogue lists, as its contract says; unmetered ones may use aliases too. `aac`:
 * whether it can be encoded here.
 */
export function catalogueByPlan(
  catalogue: Catalogue,
  aliases: () => readonly Alias[],
  aac = false,
): CatalogueFor {
  const made = (current: readonly Alias[]) => {
    const { entries } = catalogue;
    return { entries, aliases: current, catalogue: withNames(catalogue, current, aac) };
  };
  let named: ReturnType<typeof made> | null = null;
  return (plan) => {
    if (plan === "prepaid") return catalogue;
    const current = aliases();
    if (named?.entries !== catalogue.entries || named.aliases !== current) named = made(current);
    return named.catalogue;
  };
}
