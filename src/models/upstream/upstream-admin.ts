/** Editing upstreams: a definition is checked and stored; those in force follow the store. */
import type { Definition } from "./definition.ts";

/** Where the operator's own definitions are kept. */
export type UpstreamStore = {
  list(): Promise<object[]>;
  put(definition: Definition): Promise<void>;
  delete(name: string): Promise<void>;
};

/** What is in force; see `UpstreamSet`. */
type InForce = { check(value: unknown): Definition; use(stored: readonly unknown[]): string[] };

export type UpstreamAdmin = {
  /** Reads the changes of other processes. Returns the faults of definitions that cannot be used, once for each change. */
  refresh(): Promise<string[]>;
  /** Creates or replaces an upstream. Refuses a definition by its fields. */
  put(value: unknown): Promise<Definition>;
  /** False: the store has no such upstream. */
  remove(name: string): Promise<boolean>;
};

export function openUpstreamAdmin(store: UpstreamStore, inForce: InForce): UpstreamAdmin {
  let last = "[]";
  const refresh = async () => {
    const stored = await store.list();
    const text = JSON.stringify(stored);
    if (text === last) return [];
    last = text;
    return inForce.use(stored);
  };
  return {
    refresh,
    async put(value) {
      const definition = inForce.check(value);
      await store.put(definition);
      await refresh();
      return definition;
    },
    async remove(name) {
      const stored = (await store.list()) as { name?: unknown }[];
      if (!stored.some((each) => each.name === name)) return false;
      await store.delete(name);
      await refresh();
      return true;
    },
  };
}
