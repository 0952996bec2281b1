/**
 * Voices held to the implementations that the same weights are used with: phonemes, sound, what is understood of it, speed.
 * `BENCH_VOICES=sound,speed` measures some of it.
 */
import { readConfig } from "../../src/config/config.ts";
import { openInference } from "../../src/server/inference.ts";
import { realStore, realVoices, unlessReal } from "../../testing/packages/real-weights.ts";
import { openDnsmos } from "../engines/dnsmos.ts";
import type { Row } from "../harness/row.ts";
import { peersPython } from "./python-peers.ts";
import { VOICE_MODELS } from "./voice-models.ts";
import { openVoicePeer } from "./voice-peer.ts";
import { phonemeRows } from "./voice-phonemes.ts";
import { openRecognizer, soundRows } from "./voice-sound.ts";
import { speedRows } from "./voice-speed.ts";

export async function benchVoices(): Promise<Row[]> {
  const python = peersPython();
  const score = await openDnsmos();
  const missing = unlessReal("kokoro", "piper", "whisper", "vad", "turn");
  if (missing !== "") return [{ name: `voices${missing}`, value: 0, unit: "rows" }];
  if (!python || !score)
    return [{ name: "voices: the Python references or DNSMOS are not here", value: 0, unit: "rows" }];
  const asked = (Bun.env.BENCH_VOICES ?? "phonemes,sound,speed").split(",");
  const weights = realVoices();
  const rows: Row[] = [];
  for (const model of VOICE_MODELS) {
    if (asked.includes("phonemes") || asked.includes("sound")) {
      await using inference = openInference(readConfig({ LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2" }));
      await using recognizer = openRecognizer(realStore());
      await using peer = await openVoicePeer(python, model.peerVoice);
      if (asked.includes("phonemes")) rows.push(...(await phonemeRows(model, inference, peer)));
      if (asked.includes("sound"))
        rows.push(...(await soundRows(model, { inference, recognizer, peer, score })));
    }
    if (asked.includes("speed")) rows.push(...(await speedRows(model, { weights, python })));
  }
  return rows;
}
