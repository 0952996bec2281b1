/**
 * A map and a set of what comes and goes, such as the requests under way. What was removed from them can be collected soon, whereas
 * JavaScriptCore's own keep it until all of the heap is collected: as entries come and go, their table is replaced, and the one before
 * refers to it.
 *
 *   table ──> table ──> table ──> table in use     one that outlives a collection keeps those behind it, with all that was in them
 *
 * These move to another map before that, which nothing refers to. An iteration may miss what is added meanwhile, and may give what
 * was removed.
 */

/** More removed entries than others, and than these, have the map replaced. */
const REMOVED_MIN = 8;

export class TransientMap<K, V> {
  #map: Map<K, V>;
  #removed = 0;

  constructor(entries?: Iterable<[K, V]>) {
    this.#map = new Map(entries);
  }

  get size(): number {
    return this.#map.size;
  }

  get(key: K): V | undefined {
    return this.#map.get(key);
  }

  has(key: K): boolean {
    return this.#map.has(key);
  }

  set(key: K, value: V): this {
    this.#map.set(key, value);
    return this;
  }

  /** Returns whether it was there. */
  delete(key: K): boolean {
    if (!this.#map.delete(key)) return false;
    if (++this.#removed > this.#map.size + REMOVED_MIN) {
      this.#map = new Map(this.#map);
      this.#removed = 0;
    }
    return true;
  }

  clear(): void {
    this.#map = new Map();
    this.#removed = 0;
  }

  keys(): MapIterator<K> {
    return this.#map.keys();
  }

  values(): MapIterator<V> {
    return this.#map.values();
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.#map[Symbol.iterator]();
  }
}

export class TransientSet<T> {
  readonly #map = new TransientMap<T, true>();

  get size(): number {
    return this.#map.size;
  }

  has(value: T): boolean {
    return this.#map.has(value);
  }

  add(value: T): this {
    this.#map.set(value, true);
    return this;
  }

  /** Returns whether it was there. */
  delete(value: T): boolean {
    return this.#map.delete(value);
  }

  clear(): void {
    this.#map.clear();
  }

  values(): MapIterator<T> {
    return this.#map.keys();
  }

  [Symbol.iterator](): MapIterator<T> {
    return this.#map.keys();
  }
}
