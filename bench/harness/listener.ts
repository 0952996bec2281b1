/**
 * A listener who plays a stream of speech as it arrives.
 *
 *   arrives  ███      ██████   ████
 *   plays      ███····██████████         · a hole: what was there is played, and more is not there yet
 */
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { speak, type Target } from "./client.ts";

const BYTES_PER_SECOND = 2 * TTS_SAMPLE_RATE;

/** `firstSeconds`: from the request to the first audio; `holeSeconds`: of all holes, where playing begins at once. */
export type Listened = {
  firstSeconds: number;
  workSeconds: number;
  audioSeconds: number;
  holeSeconds: number;
};

export async function listen(target: Target, fields: object): Promise<Listened> {
  const begun = performance.now();
  const since = () => (performance.now() - begun) / 1000;
  const response = await speak(target, { ...fields, response_format: "pcm", stream: true });
  if (!response.ok) throw new Error(await response.text());
  let [firstSeconds, playedUntil, holeSeconds, bytes] = [0, 0, 0, 0];
  for await (const chunk of response.body!) {
    const now = since();
    if (bytes === 0) firstSeconds = now;
    else holeSeconds += Math.max(0, now - playedUntil);
    playedUntil = Math.max(now, playedUntil) + chunk.length / BYTES_PER_SECOND;
    bytes += chunk.length;
  }
  return { firstSeconds, workSeconds: since(), audioSeconds: bytes / BYTES_PER_SECOND, holeSeconds };
}
