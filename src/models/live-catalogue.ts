/** A catalogue that changes while it is used: every read sees what is installed at that time. */
import type { Plan } from "../plans.ts";
import { type Cap, type Permits, permitsOf } from "../restrictions.ts";
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

/** `caps`: of its key and project. */
type Caller = { plan: Plan; caps: readonly Cap[] };

/** What a caller may name, by the plan of its organization, and use, by its caps. */
export type CatalogueFor = (caller: Caller) => Catalogue;

/** The part that may be used; its lists are made when they are first read, since most requests read none. */
function permitted(catalogue: Catalogue, permits: Permits): Catalogue {
  const { cloningPackage, diarizer, names } = catalogue;
  const isUsable = (id: string) => permits.model(catalogue.find(id)?.id ?? id);
  let entries: Catalogue["entries"] | null = null;
  let voices: Catalogue["voices"] | null = null;
  return {
    get entries() {
      entries ??= catalogue.entries.filter(({ id }) => permits.model(id));
      return entries;
    },
    get voices() {
      voices ??= catalogue.voices.flatMap((voice) => {
        const models = voice.models.filter(isUsable);
        return models.length > 0 && permits.voice(voice.id) ? [{ ...voice, models }] : [];
      });
      return voices;
    },
    find: (name) => catalogue.find(name),
    packageFor: (needs) => catalogue.packageFor(needs),
    ...{ cloningPackage, diarizer, permits },
    names: { ...names, models: names.models.filter(({ targets }) => targets.some(isUsable)) },
  };
}

const PERMITTED_MAX = 1000;

/** Keeps the permitted parts of a catalogue, by what permits them, until it is another one. */
function openPermitted() {
  let of: { base: Catalogue; entries: Catalogue["entries"] } | null = null;
  const known = new Map<string, Catalogue>();
  return (base: Catalogue, caps: readonly Cap[]): Catalogue => {
    const { entries } = base;
    if (of?.base !== base || of.entries !== entries) {
      of = { base, entries };
      known.clear();
    }
    const name = JSON.stringify(caps.map(({ of, restrictions: { models, voices } }) => [of, models, voices]));
    const kept = known.get(name);
    if (kept) return kept;
    const permits = permitsOf(caps);
    if (permits === null) return base;
    if (known.size >= PERMITTED_MAX) known.clear();
    const made = permitted(base, permits);
    known.set(name, made);
    return made;
  };
}

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
  const byPlan = (plan: Plan): Catalogue => {
    if (plan === "prepaid") return catalogue;
    const current = aliases();
    if (named?.entries !== catalogue.entries || named.aliases !== current) named = made(current);
    return named.catalogue;
  };
  const permittedOf = { prepaid: openPermitted(), unmetered: openPermitted() };
  return ({ plan, caps }) => (caps.length > 0 ? permittedOf[plan](byPlan(plan), caps) : byPlan(plan));
}
