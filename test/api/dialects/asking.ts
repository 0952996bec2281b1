/** Asks a server as clients of a dialect do, and decodes what it answers. */
import { FLACDecoder } from "@wasm-audio-decoders/flac";
import { MPEGDecoder } from "mpg123-decoder";
import { OggOpusDecoder } from "ogg-opus-decoder";
import { parseWav } from "../../../src/audio/reading/wav-file.ts";
import type { Harness } from "../../harness.ts";

const KEYS = {
  elevenlabs: (key: string) => ({ "xi-api-key": key }),
  deepgram: (key: string) => ({ authorization: `Token ${key}` }),
  jambonz: (key: string) => ({ authorization: `Bearer ${key}` }),
};

export const askAs =
  (dialect: keyof typeof KEYS, { url, key }: Pick<Harness, "url" | "key">) =>
  (path: string, body: unknown, init: RequestInit = {}) =>
    fetch(url + path, {
      method: "POST",
      headers: { ...KEYS[dialect](key), "content-type": "application/json" },
      body: JSON.stringify(body),
      ...init,
    });

type Decoded = { rate: number; seconds: number };

async function decodedBy(
  decoder: {
    ready: Promise<void>;
    decodeFile(bytes: Uint8Array): Promise<{ channelData: Float32Array[]; sampleRate: number }>;
  },
  bytes: Uint8Array,
): Promise<Decoded> {
  await decoder.ready;
  const { channelData, sampleRate } = await decoder.decodeFile(bytes);
  return { rate: sampleRate, seconds: channelData[0]!.length / sampleRate };
}

export async function decoded(format: "mp3" | "wav" | "flac" | "opus", bytes: Uint8Array): Promise<Decoded> {
  if (format === "flac") return decodedBy(new FLACDecoder() as never, bytes);
  if (format === "opus") return decodedBy(new OggOpusDecoder({ forceStereo: false }) as never, bytes);
  if (format === "wav") {
    const { samples, sampleRate } = parseWav(bytes, 600)!;
    return { rate: sampleRate, seconds: samples.length / sampleRate };
  }
  const decoder = new MPEGDecoder();
  await decoder.ready;
  const { channelData, sampleRate } = decoder.decode(bytes);
  return { rate: sampleRate, seconds: channelData[0]!.length / sampleRate };
}
