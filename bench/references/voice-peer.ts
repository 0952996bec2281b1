/** A voice of the Python references in its own process (voice-peer.py): one task at a time. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openPeer } from "./peer-process.ts";

/** Of one text, or of several at once. */
export type Effort = { workSeconds: number; audioSeconds: number };

export type VoicePeer = AsyncDisposable & {
  pid: number;
  loadSeconds: number;
  phonemes(text: string): Promise<string>;
  /** `firstSeconds`: until the first of its samples. */
  speak(text: string): Promise<Effort & { firstSeconds: number; rate: number; samples: Float32Array }>;
  together(texts: string[]): Promise<Effort>;
};

/** `voice`: what the script is told of it. */
export async function openVoicePeer(python: string, voice: string[]): Promise<VoicePeer> {
  const { ask, folder, ready, ...process } = await openPeer<{ loadSeconds: number }>(python, [
    "voice-peer.py",
    ...voice,
  ]);
  return {
    ...process,
    ...ready,
    phonemes: async (text) => (await ask({ phonemes: text })).phonemes,
    async speak(text) {
      const to = join(folder, "samples");
      const answer = await ask({ speak: text, to });
      const bytes = readFileSync(to);
      return { ...answer, samples: new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2) };
    },
    together: (texts) => ask({ together: texts }),
  };
}
