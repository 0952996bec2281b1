/** What was spoken on this page before, kept in this browser only. Without browser storage, as long as the page. */
import { useEffect, useMemo, useState } from "react";
import { barsOf } from "../audio/peaks.ts";
import { openStore } from "../synthesis/browser-store.ts";
import type { Synthesis } from "../synthesis/synthesis.ts";

const OUTLINE_BARS = 400; // more than a phone or a laptop draws

export type SpeechHistory = {
  items: Synthesis[];
  add(item: Synthesis): void;
  /** What is removed leaves the page once it has left the browser's storage, so a reload does not bring it back. */
  remove(id: string): void;
  clear(): void;
};

export function useHistory(owner: string): SpeechHistory {
  const store = useMemo(() => openStore<Synthesis>(owner, "history"), [owner]);
  const samples = useMemo(() => openStore(owner, "samples"), [owner]);
  const [items, setItems] = useState<Synthesis[]>([]);
  useEffect(() => {
    store.all().then(setItems, noStorage);
  }, [store]);
  return {
    items,
    add(item) {
      const kept = { ...item, peaks: barsOf(item.peaks, OUTLINE_BARS) };
      setItems((all) => [kept, ...all]);
      store
        .add(kept)
        .then(() => store.all())
        .then(setItems, noStorage);
    },
    remove(id) {
      const removed = store.remove(id).catch(noStorage);
      void removed.then(() => setItems((all) => all.filter((each) => each.id !== id)));
    },
    clear() {
      const cleared = Promise.all([store.clear(), samples.clear()]).catch(noStorage);
      void cleared.then(() => setItems([]));
    },
  };
}

/** Storage is full or switched off: what was spoken stays on the page. */
function noStorage(): void {}
