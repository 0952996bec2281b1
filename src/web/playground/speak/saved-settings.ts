/** The text and the settings of the playground, kept in this browser for the next visit. */
import { useEffect, useState } from "react";
import { keep, readKept } from "../../browser/kept-json.ts";

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
    ...readKept(nameOf(owner), (kept) => settingsIn(kept, initial)),
    ...requested,
  }));
  const [isChanged, setChanged] = useState(false);
  useEffect(() => {
    if (isChanged) keep(nameOf(owner), settings);
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

/** Drops values of unexpected types. */
const settingsIn = (kept: unknown, initial: SpeechSettings): Partial<SpeechSettings> =>
  Object.fromEntries(
    Object.entries(Object(kept)).filter(
      ([name, value]) =>
        name in initial && typeof value === typeof (initial[name as keyof SpeechSettings] ?? ""),
    ),
  );
