/** The phonemes of texts, for engines that read nothing else; those of recent texts are kept. */

import { espeakVoice, type G2pTask } from "../engine/protocol/g2p.ts";
import type { SynthesisTask } from "../engine/protocol/synthesis.ts";
import type { Engine } from "../engine/registry.ts";
import { soleClaim } from "../engine/runner.ts";
import { TransientMap } from "../transient.ts";

const CACHED_MAX = 1000;

/** `voice` null: by the language of the task. */
export type Pronunciation = Pick<G2pTask, "alphabet"> & { voice: string | null };

type Reading = Pick<SynthesisTask, "text" | "context" | "language" | "pronounced">;

/** The task that converts a text of a language to phonemes. */
export const g2pTask = (
  { text, context, language, pronounced }: Reading,
  { alphabet, voice }: Pronunciation,
): G2pTask => ({
  kind: "phonemes",
  alphabet,
  text,
  voice: voice ?? espeakVoice(language),
  ...(context ? { context } : {}),
  ...(pronounced ? { pronounced } : {}),
});

export type ReadPhonemes = (synthesis: SynthesisTask) => Promise<string>;

export function openPhonemes(g2p: Engine, pronunciation: Pronunciation): ReadPhonemes {
  const cache = new TransientMap<string, Promise<string>>();
  return (synthesis) => {
    const { text, context = null, language, pronounced = null } = synthesis;
    const key = JSON.stringify([language, text, context, pronounced]);
    const cached = cache.get(key);
    if (cached) return cached;
    const task = g2pTask(synthesis, pronunciation);
    const phonemes = g2p.run(task, { ...soleClaim(), urgency: "realtime" });
    cache.set(key, phonemes);
    phonemes.catch(() => cache.delete(key));
    if (cache.size > CACHED_MAX) cache.delete(cache.keys().next().value!);
    return phonemes;
  };
}
