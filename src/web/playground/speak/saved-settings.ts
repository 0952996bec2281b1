/** The text and the settings of the playground, kept in this browser for the next visit. */
import { useEffect, useState } from "react";

export type SpeechSettings = {
  text: string;
  /** Null for the first of the catalogue. */
  model: string | null;
  voice: string | null;
  format: string;
  speed: number;
  instructions: string;
};

const nameOf = (owner: string): string => `loquat-playground-${owner}`;

/** `requested`: by the address of the page, which comes before what was kept. */
type Start = { initial: SpeechSettings; requested: Partial<SpeechSettings> };

export function useSavedSettings(owner: string, { initial, requested }: Start) {
  const [settings, setSettings] = useState(() => ({
    ...initial,
    ...readSettings(owner, initial),
    ...requested,
  }));
  const [isChanged, setChanged] = useState(false);
  useEffect(() => {
    if (isChanged) write(owner, settings);
  }, [owner, settings, isChanged]);
  return {
    settings,
    change(changes: Partial<SpeechSettings>) {
      setChanged(true);
      setSettings((before) => ({ ...before, ...changes }));
    },
    /** Removes them from the browser; the page keeps what it shows. */
    forget() {
      setChanged(false);
      localStorage.removeItem(nameOf(owner));
    },
  };
}

/** Drops values of unexpected types: users may edit a browser's storage. */
function readSettings(owner: string, initial: SpeechSettings): Partial<SpeechSettings> {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(nameOf(owner)) ?? "{}");
    return Object.fromEntries(
      Object.entries(read as object).filter(
        ([name, value]) =>
          name in initial && typeof value === typeof (initial[name as keyof SpeechSettings] ?? ""),
      ),
    );
  } catch {
    return {};
  }
}

function write(owner: string, settings: SpeechSettings): void {
  try {
    localStorage.setItem(nameOf(owner), JSON.stringify(settings));
  } catch {
    // storage is full or switched off: the settings last as long as the page
  }
}
