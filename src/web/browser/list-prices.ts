/** Whether pages show what requests would cost where nothing is charged: off, unless it is switched on in this browser. */
import { useSyncExternalStore } from "react";

const STORAGE_KEY = "loquat-list-prices";
const listeners = new Set<() => void>();
let isShown: boolean | null = null;

/** Storage may be blocked: then the choice lasts as long as the page. */
function shown(): boolean {
  try {
    isShown ??= localStorage.getItem(STORAGE_KEY) === "1";
  } catch {}
  return isShown ?? false;
}

export function showListPrices(isOn: boolean): void {
  isShown = isOn;
  try {
    localStorage.setItem(STORAGE_KEY, isOn ? "1" : "0");
  } catch {}
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useListPrices = (): boolean => useSyncExternalStore(subscribe, shown);
