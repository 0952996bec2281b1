/** A sentence of a synthetic voice, as the recordings that dialects are sent, and what is needed to hear it. */
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import type { Harness } from "../../harness.ts";

const SENTENCE = "We are at the old house by the river.";
/** What the smallest recognizer makes of it. */
export const HEARD = /old house by the river/i;

export const hears = installedFamilies().has("sphinx");
export const unlessRecognition = hears ? "" : " (skipped: libpocketsphinx is not installed)";

/** WAV, mono, 24 kHz. */
export async function sentence({ ask }: Pick<Harness, "ask">): Promise<Uint8Array<ArrayBuffer>> {
  const body = JSON.stringify({ model: "svc-tts1", voice: "male-deep", input: SENTENCE });
  return new Uint8Array(await (await ask("/v1/audio/speech", { method: "POST", body })).arrayBuffer());
}
