/**
 * The published weights on the processor and on CUDA: how many times faster than a listener voices speak and Whisper
 * listens, for one caller and for eight, when the first audio comes, and whether both devices hear the same words.
 */
import { toInt16 } from "../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { wavHeader } from "../../src/audio/wav.ts";
import { devicesFor } from "../../src/engine/devices.ts";
import { clip, references } from "../../test/clips.ts";
import { REAL_VOICES, realStore, realVoices, unlessReal } from "../../test/packages/real-weights.ts";
import { speak, type Target, transcriptOf } from "../harness/client.ts";
import { inParallel, median, type Row, timed } from "../harness/row.ts";
import { startServer } from "../harness/server.ts";

const DEVICES = ["cpu", "cuda"] as const;
const CALLERS = [1, 8];
const TURNS = 24;
const TEXT =
  "The old harbour lies behind the church, and every morning the boats leave before the sun is up. " +
  "Whoever wants fresh fish should come early, because by nine o'clock nothing is left but crabs.";

/** What was measured on a device, by name. */
type Figures = Map<string, { value: number; unit: string }>;

export async function benchDevices(): Promise<Row[]> {
  const missing = unlessReal("kokoro", "piper", "whisper", "vad", "turn");
  if (missing !== "") return [{ name: `devices${missing}`, value: 0, unit: "rows" }];
  if (!devicesFor("auto").includes("cuda"))
    return [{ name: "devices: neither the CUDA provider nor its driver is here", value: 0, unit: "rows" }];
  const recording = await joinedClips();
  const texts = new Set<string>();
  const measured: Figures[] = [];
  for (const LOQUAT_DEVICE of DEVICES) {
    const figures: Figures = new Map();
    {
      await using server = await startServer({ LOQUAT_DEVICE, LOQUAT_WEIGHTS: realVoices() });
      for (const voice of Object.values(REAL_VOICES)) await measureVoice(server, voice, figures);
    }
    await using server = await startServer({ LOQUAT_DEVICE, LOQUAT_WEIGHTS: realStore() });
    texts.add(await measureWhisper(server, recording, figures));
    measured.push(figures);
  }
  return [
    ...rowsOf(measured as [Figures, Figures]),
    { name: "Whisper: different transcripts", value: texts.size, unit: "", target: "at most 1" },
  ];
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

async function measureVoice(server: Target, voice: string, figures: Figures): Promise<void> {
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
  await inParallel(Math.max(...CALLERS), TURNS, async () => void (await once())); // opens what eight callers use
  for (const callers of CALLERS) {
    firsts.length = 0;
    let seconds = 0;
    const ms = await timed(() =>
      inParallel(callers, TURNS, async () => {
        seconds += await once();
      }),
    );
    const name = `${voice}, ${callers} at a time`;
    figures.set(name, { value: (seconds / ms) * 1000, unit: "x realtime" });
    figures.set(`${name}: first audio`, { value: median(firsts), unit: "ms" });
  }
}

/** Answers the text. */
async function measureWhisper(
  server: Target,
  { wav, seconds }: Recording,
  figures: Figures,
): Promise<string> {
  const text = await transcriptOf(server, wav);
  for (const callers of CALLERS) {
    const turns = callers * 2;
    const ms = await timed(() =>
      inParallel(callers, turns, async () => void (await transcriptOf(server, wav))),
    );
    const value = ((seconds * turns) / ms) * 1000;
    figures.set(`Whisper, ${callers} at a time`, { value, unit: "x realtime" });
  }
  return text;
}

const rowsOf = ([cpu, cuda]: [Figures, Figures]): Row[] =>
  [...cpu].flatMap(([name, { value, unit }]) => {
    const other = cuda.get(name)!.value;
    return [
      { name: `${name}, processor`, value, unit },
      { name: `${name}, CUDA`, value: other, unit },
    ];
  });
