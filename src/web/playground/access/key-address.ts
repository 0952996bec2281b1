/** A key in the fragment of the address, as `#key=sk_live_…`: kept for the lifetime of the browser tab, and removed from the address. */

const STORAGE_KEY = "loquat-key";
const KEY_MAX_LENGTH = 256;

export const storedKey = (): string => sessionStorage.getItem(STORAGE_KEY) ?? "";

export const storeKey = (key: string): void => sessionStorage.setItem(STORAGE_KEY, key);

/** Fragments never reach a server; without the key, the address can be shared and is safe in the browser's history. */
export function takeKeyFromAddress(): void {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (key === null) return;
  if (key !== "" && key.length <= KEY_MAX_LENGTH) storeKey(key);
  history.replaceState(history.state, "", location.pathname + location.search);
}
