/** A catalogue that changes while it is used: every read sees what is installed at that time. */
import { type Clock, unixSeconds } from "../clock.ts";
import type { Plan } from "../plans.ts";
import { type Cap, type Permits, permitsOf } from "../restrictions.ts";
import type { Alias } from "./aliases.ts";
import { type Catalogue, withNames, withPrices } from "./catalogue.ts";
import { type Price, pricesAt } from "./prices.ts";

export type LiveCatalogue = Catalogue & { refresh(): void };

/** Where the operator's own prices are kept. */
export type PriceStore = {
  list(): Promise<Price[]>;
  put(price: Price): Promise<void>;
  delete(price: Pick<Price, "model" | "validFrom">): Promise<boolean>;
};

/** The prices that are stored, as they were read last: requests read them without waiting. */
export type PriceList = {
  /** By model and time; another array after every change. */
  current(): readonly Price[];
  /** Reads the changes of other processes. */
  refresh(): Promise<void>;
  store: PriceStore;
};

export async function openPriceList(store: PriceStore): Promise<PriceList> {
  let stored = await store.list();
  return {
    current: () => stored,
    async refresh() {
      const read = await store.list();
      if (JSON.stringify(read) !== JSON.stringify(stored)) stored = read;
    },
    store,
  };
}

export type OwnPrices = Pick<PriceList, "current"> & { clock: Clock };

/** A price holds from its second on: what is read then has it. Without `prices` those of the manifests hold. */
export function liveCatalogue(build: () => Catalogue, prices: OwnPrices | null = null): LiveCatalogue {
  let built = build();
  const priced = () => {
    if (prices === null) return { catalogue: built, until: Number.POSITIVE_INFINITY, by: null };
    const by = prices.current();
    const held = pricesAt(by, unixSeconds(prices.clock));
    return { catalogue: withPrices(built, held), until: held.until * 1000, by };
  };
  let state = priced();
  const now = (): Catalogue => {
    if (prices !== null && (prices.current() !== state.by || prices.clock.now() >= state.until))
      state = priced();
    return state.catalogue;
  };
  return {
    get entries() {
      return now().entries;
    },
    get voices() {
      return now().voices;
    },
    get cloningPackage() {
      return now().cloningPackage;
    },
    get diarizer() {
      return now().diarizer;
    },
    get names() {
      return now().names;
    },
    find: (name) => now().find(name),
    packageFor: (needs) => now().packageFor(needs),
    refresh() {
      built = build();
      state = priced();
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
  let byCaps = new WeakMap<readonly Cap[], Catalogue>(); // those of a key, until it is read again
  const made = (base: Catalogue, caps: readonly Cap[]): Catalogue => {
    const permits = permitsOf(caps);
    if (permits === null) return base;
    const name = JSON.stringify(caps.map(({ of, restrictions: { models, voices } }) => [of, models, voices]));
    const kept = known.get(name);
    if (kept) return kept;
    if (known.size >= PERMITTED_MAX) known.clear();
    const catalogue = permitted(base, permits);
    known.set(name, catalogue);
    return catalogue;
  };
  return (base: Catalogue, caps: readonly Cap[]): Catalogue => {
    const { entries } = base;
    if (of?.base !== base || of.entries !== entries) {
      of = { base, entries };
      known.clear();
      byCaps = new WeakMap();
    }
    const kept = byCaps.get(caps) ?? made(base, caps);
    byCaps.set(caps, kept);
    return kept;
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
