/**
 * The published weights on the processor and on CUDA: how many times faster than a listener voices speak and Whisper
 * listens, for one caller and for eight, when the first audio comes, and whether both devices hear the same words. Each row
 * is printed as it is measured.
 *
 *   BENCH_DEVICES=cuda,cpu BENCH_DEVICES_ENGINES=kokoro,piper,whisper npm run bench -- devices
 */
import { toInt16, wavHeader } from "../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { devicesFor } from "../../src/engine/devices.ts";
import { clip, references } from "../../test/clips.ts";
import { REAL_VOICES, realStore, realVoices, unlessReal } from "../../testing/packages/real-weights.ts";
import { speak, type Target, transcriptOf } from "../harness/client.ts";
import { inParallel, median, type Row, timed } from "../harness/row.ts";
import { startServer } from "../harness/server.ts";

const DEVICES = Bun.env.BENCH_DEVICES?.split(",") ?? ["cpu", "cuda"];
const ENGINES = Bun.env.BENCH_DEVICES_ENGINES?.split(",") ?? ["piper", "kokoro", "whisper"];
const CALLERS = [1, 8];
const TURNS = 24;
const TEXT =
  "The old harbour lies behind the church, and every morning the boats leave before the sun is up. " +
  "Whoever wants fresh fish should come early, because by nine o'clock nothing is left but crabs.";

export async function* benchDevices(): AsyncGenerator<Row> {
  const missing = unlessReal("kokoro", "piper", "whisper", "vad", "turn");
  if (missing !== "") return yield { name: `devices${missing}`, value: 0, unit: "rows" };
  if (DEVICES.includes("cuda") && !devicesFor("auto").includes("cuda"))
    return yield {
      name: "devices: neither the CUDA provider nor its driver is here",
      value: 0,
      unit: "rows",
    };
  const recording = await joinedClips();
  const texts = new Set<string>();
  for (const LOQUAT_DEVICE of DEVICES) {
    for (const [engine, voice] of Object.entries(REAL_VOICES)) {
      if (!ENGINES.includes(engine)) continue;
      await using server = await startServer({ LOQUAT_DEVICE, LOQUAT_WEIGHTS: realVoices() });
      yield* voiceRows(server, voice, LOQUAT_DEVICE);
    }
    if (!ENGINES.includes("whisper")) continue;
    await using server = await startServer({ LOQUAT_DEVICE, LOQUAT_WEIGHTS: realStore() });
    const text = await transcriptOf(server, recording.wav);
    texts.add(text);
    yield* whisperRows(server, recording, LOQUAT_DEVICE);
  }
  if (texts.size > 0)
    yield { name: "Whisper: different transcripts", value: texts.size, unit: "", target: "at most 1" };
}

type Recording = { wav: Blob; seconds: number };

/** All English clips, one after another. */
async function joinedClips(): Promise<Recording> {
  const clips = await Promise.all(references().map(([path]) => clip(path)));
  const parts = clips.map((samples) => toInt16(samples));
  const count = parts.reduce((sum, { length }) => sum + length, 0);
  return {
    wav: new Blob([wavHeader(count, ASR_SAMPLE_RATE), ...parts]),
    seconds: count / ASR_SAMPLE_RATE,
  };
}

/** `TURNS` a row where eight speak at once; fewer for one, who would take eight times as long. */
async function* voiceRows(server: Target, voice: string, device: string): AsyncGenerator<Row> {
  const fields = { voice, input: TEXT, response_format: "pcm", stream: true };
  const firsts: number[] = [];
  const once = async (): Promise<number> => {
    const begun = performance.now();
    const response = await speak(server, fields);
    if (!response.ok) throw new Error(await response.text());
    let bytes = 0;
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      if (bytes === 0) firsts.push(performance.now() - begun);
      bytes += piece.length;
    }
    return bytes / 2 / TTS_SAMPLE_RATE;
  };
  yield { name: `${voice}, ${device}: the first request`, value: await timed(once), unit: "ms" };
  const most = Math.max(...CALLERS);
  await inParallel(most, most, async () => void (await once())); // opens what eight callers use
  for (const callers of CALLERS) {
    firsts.length = 0;
    let seconds = 0;
    const turns = Math.max(TURNS / 4, (TURNS * callers) / most);
    const ms = await timed(() =>
      inParallel(callers, turns, async () => {
        seconds += await once();
      }),
    );
    const name = `${voice}, ${callers} at a time, ${device}`;
    yield { name, value: (seconds / ms) * 1000, unit: "x realtime" };
    yield { name: `${name}: first audio`, value: median(firsts), unit: "ms" };
  }
}

async function* whisperRows(
  server: Target,
  { wav, seconds }: Recording,
  device: string,
): AsyncGenerator<Row> {
  for (const callers of CALLERS) {
    const turns = callers * 2;
    const ms = await timed(() =>
      inParallel(callers, turns, async () => void (await transcriptOf(server, wav))),
    );
    const value = ((seconds * turns) / ms) * 1000;
    yield { name: `Whisper, ${callers} at a time, ${device}`, value, unit: "x realtime" };
  }
}
