/** Before an engine that reads phonemes: whoever knows them is asked, and not twice for what was just asked. */

import { soleClaim } from "../engine/claim.ts";
import { espeakVoice, type G2pTask } from "../engine/protocol/g2p.ts";
import type { SynthesisTask } from "../engine/protocol/synthesis.ts";
import type { Engine } from "../engine/registry.ts";
import type { Runner } from "../engine/runner.ts";

const REMEMBERED_MOST = 1000;

/** `voice` null: the language of the task decides. */
type Reader = Pick<G2pTask, "alphabet"> & { voice: string | null };

export function withPhonemes(speaker: Runner, reader: Engine, { voice, ...how }: Reader): Runner {
  const known = new Map<string, Promise<string>>();
  const phonemesOf = (text: string, language: string): Promise<string> => {
    const key = `${language}\n${text}`;
    const remembered = known.get(key);
    if (remembered) return remembered;
    const task: G2pTask = { ...how, text, voice: voice ?? espeakVoice(language) };
    const phonemes = reader.run<string>(task, { ...soleClaim(), urgency: "realtime" });
    known.set(key, phonemes);
    phonemes.catch(() => known.delete(key));
    if (known.size > REMEMBERED_MOST) known.delete(known.keys().next().value!);
    return phonemes;
  };
  return {
    async run(task, transfer) {
      const { text, language, phonemes } = task as SynthesisTask;
      return speaker.run({ ...task, phonemes: phonemes ?? (await phonemesOf(text, language)) }, transfer);
    },
    [Symbol.asyncDispose]: () => speaker[Symbol.asyncDispose](),
  };
}
