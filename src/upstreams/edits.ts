/** Editing upstreams: a definition is checked and stored; those in force follow the store. */
import { readEverySecond } from "../db/polling.ts";
import type { Log } from "../log/log.ts";
import type { Definition } from "./definition.ts";
import type { UpstreamSet } from "./upstreams.ts";

/** Where the operator's own definitions are kept. */
export type UpstreamStore = {
  list(): Promise<object[]>;
  put(definition: Definition): Promise<void>;
  delete(name: string): Promise<void>;
};

/** What is in force. */
export type InForce = { set: Pick<UpstreamSet, "check">; use: UpstreamSet["use"] };

export type UpstreamAdmin = {
  /** Reads the changes of other processes. Returns the faults of definitions that cannot be used, once for each change. */
  refresh(): Promise<string[]>;
  /** Creates or replaces an upstream. Refuses a definition by its fields. */
  put(value: unknown): Promise<Definition>;
  /** False: the store has no such upstream. */
  remove(name: string): Promise<boolean>;
};

export function openUpstreamAdmin(
  store: UpstreamStore,
  { check, use }: Pick<UpstreamSet, "check" | "use">,
): UpstreamAdmin {
  let last = "[]";
  const refresh = async () => {
    const stored = await store.list();
    const text = JSON.stringify(stored);
    if (text === last) return [];
    last = text;
    return use(stored);
  };
  return {
    refresh,
    async put(value) {
      const definition = check(value);
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

/** Follows the store's, which other processes and nodes edit too: reads them now and once a second. The result edits them. */
export async function followUpstreams(
  store: UpstreamStore,
  { set, use }: InForce,
  log: Log,
): Promise<UpstreamAdmin & AsyncDisposable> {
  const admin = openUpstreamAdmin(store, { check: set.check, use });
  const read = async () => {
    for (const fault of await admin.refresh()) log.warn("upstream_unusable", { fault });
  };
  await read();
  const reading = readEverySecond(read, (cause) => log.warn("upstreams_unavailable", { cause }));
  return { ...admin, [Symbol.asyncDispose]: () => reading[Symbol.asyncDispose]() };
}
