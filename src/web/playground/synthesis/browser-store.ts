/**
 * What the playground keeps in this browser, in IndexedDB: never more than a number of items and of bytes, oldest first
 * to go. Nothing of it is sent anywhere.
 */
import { type Kept, surplus } from "./bounds.ts";

const VERSION = 1;
const STORES = { history: { countMax: 50, bytesMax: 64e6 }, samples: { countMax: 100, bytesMax: 32e6 } };
type StoreName = keyof typeof STORES;

export type BrowserStore<T extends Kept> = {
  /** Newest first. */
  all(): Promise<T[]>;
  find(id: string): Promise<T | undefined>;
  add(item: T): Promise<void>;
  remove(id: string): Promise<void>;
  clear(): Promise<void>;
};

/** `owner`: people who share a browser do not see each other's. */
export function openStore<T extends Kept>(owner: string, name: StoreName): BrowserStore<T> {
  const run = <R>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<R>) =>
    transact({ owner, name, mode }, work);
  const all = async (): Promise<T[]> =>
    newestFirst((await run("readonly", (store) => store.getAll())) as T[]);
  return {
    all,
    find: async (id) => (await run("readonly", (store) => store.get(id))) as T | undefined,
    async add(item) {
      await run("readwrite", (store) => store.put(item));
      for (const id of surplus(await all(), STORES[name]))
        await run("readwrite", (store) => store.delete(id));
    },
    remove: async (id) => void (await run("readwrite", (store) => store.delete(id))),
    clear: async () => void (await run("readwrite", (store) => store.clear())),
  };
}

const newestFirst = <T extends Kept>(items: T[]): T[] =>
  items.sort((one, other) => other.createdAt - one.createdAt);

type Transaction = { owner: string; name: StoreName; mode: IDBTransactionMode };

async function transact<R>(
  { owner, name, mode }: Transaction,
  work: (store: IDBObjectStore) => IDBRequest<R>,
): Promise<R> {
  const database = await open(`loquat-playground-${owner}`);
  try {
    const transaction = database.transaction(name, mode);
    const [result] = await Promise.all([
      resultOf(work(transaction.objectStore(name))),
      committed(transaction),
    ]);
    return result;
  } finally {
    database.close();
  }
}

function open(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, VERSION);
  request.onupgradeneeded = () => {
    for (const store of Object.keys(STORES)) request.result.createObjectStore(store, { keyPath: "id" });
  };
  return resultOf(request);
}

function committed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

function resultOf<R>(request: IDBRequest<R>): Promise<R> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
