/**
 * A server on which one built-in engine also encodes voices and speaks with them: an encoding is the recording's loudness,
 * and speech with it is a constant of that value. Its other voices are as they are.
 */

import { wavHeader } from "../../../../src/audio/pcm.ts";
import { TTS_SAMPLE_RATE } from "../../../../src/audio/rates.ts";
import type { SynthesisTask } from "../../../../src/engine/protocol/synthesis.ts";
import { isOf } from "../../../../src/engine/protocol/task.ts";
import type { Entry } from "../../../../src/models/catalogue.ts";
import type { Services } from "../../../../src/server/services.ts";
import { type Field, form } from "../form.ts";

export type StandIn = {
  /** What was asked of the engine. */
  encoded: Float32Array[];
  spoken: SynthesisTask[];
  /** What the next encoding waits for, or fails with. */
  fault: Error | null;
};

/** The model whose voices of Flite can be cloned. */
export const CLONING_MODEL = "svc-tts1";
const CLONING_ENGINE = "flite";

export function standIn({ catalogue, registry }: Pick<Services, "catalogue" | "registry">): StandIn {
  const seen: StandIn = { encoded: [], spoken: [], fault: null };
  const real = registry.engine.bind(registry);
  registry.engine = (name) => {
    const engine = real(name);
    if (name !== CLONING_ENGINE) return engine;
    return {
      async run(task, claim) {
        if (isOf(task, "voice-encoding")) {
          seen.encoded.push(task.samples);
          if (seen.fault) throw seen.fault;
          return { data: Float32Array.of(loudness(task.samples), 0), shape: [1, 2] } as never;
        }
        if (!isOf(task, "synthesis") || !task.style) return engine.run(task, claim);
        seen.spoken.push(task);
        return new Float32Array(TTS_SAMPLE_RATE / 10).fill(task.style.data[0]!) as never;
      },
    };
  };
  const entries = catalogue.entries.map(withCloning);
  Object.defineProperty(catalogue, "entries", { get: () => entries });
  const { find } = catalogue;
  catalogue.find = (name) => entries.find(({ id }) => id === find(name)?.id) ?? find(name);
  return seen;
}

function withCloning(entry: Entry): Entry {
  if (entry.id !== CLONING_MODEL || entry.version?.type !== "tts") return entry;
  const voices = entry.version.voices.map((voice) => ({
    ...voice,
    ...(voice.engine === CLONING_ENGINE ? { cloning: true } : {}),
  }));
  return { ...entry, version: { ...entry.version, voices } };
}

const loudness = (samples: Float32Array): number =>
  Math.fround(samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 2);

/** So many seconds of a person, or of an almost silent room: bursts of a tone with silence between them. */
export function recording(seconds: number, { level = 0.5, sampleRate = TTS_SAMPLE_RATE } = {}): Uint8Array {
  const samples = Int16Array.from({ length: Math.round(seconds * sampleRate) }, (_, index) => {
    const at = index / sampleRate;
    const isSpoken = at % 1 < 0.7;
    return isSpoken
      ? 32_767 * level * Math.sin(2 * Math.PI * 150 * at) * (0.3 + 0.7 * Math.abs(Math.sin(9 * at)))
      : 0;
  });
  return Buffer.concat([wavHeader(samples.length, sampleRate), new Uint8Array(samples.buffer)]);
}

export const STATEMENT = "I am Ada Lovelace, and I agree that this voice is made of mine.";

/** The form of a new voice; fields that are given replace it, null leaves one out. */
export function voiceForm(fields: Record<string, string | Uint8Array | null> = {}) {
  const whole = { name: "Ada", audio_sample: recording(4), consent: STATEMENT, ...fields };
  return form(
    Object.entries(whole).flatMap(([name, value]): Field[] => (value === null ? [] : [[name, value]])),
  );
}
