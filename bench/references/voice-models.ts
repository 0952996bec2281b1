/** The voices that are compared: on the same weights here and in the implementation that these are used with. */
import { join } from "node:path";
import type { Reference } from "../../test/workers/g2p/references.ts";
import { REAL_VOICES, realWeights } from "../../testing/packages/real-weights.ts";

export const THREADS = 2;

export type VoiceModel = {
  name: string;
  reference: Reference;
  /** Its id here. */
  voice: string;
  /** The name of the reference, and what voice-peer.py is told. */
  peer: string;
  peerVoice: string[];
};

export const VOICE_MODELS: readonly VoiceModel[] = [
  {
    name: "Piper joe",
    reference: "piper",
    voice: REAL_VOICES.piper,
    peer: "piper-tts",
    get peerVoice() {
      return [`${THREADS}`, "piper", join(realWeights("piper")!, "en_US-joe-medium.onnx")];
    },
  },
  {
    name: "Kokoro int8",
    reference: "kokoro",
    voice: REAL_VOICES.kokoro,
    peer: "kokoro-onnx",
    get peerVoice() {
      const folder = realWeights("kokoro")!;
      const files = ["kokoro-v1.0.int8.onnx", "voices_ja.npz"].map((name) => join(folder, name));
      return [`${THREADS}`, "kokoro", ...files, REAL_VOICES.kokoro];
    },
  },
];
