/**
 * Live text over the socket in real time beside the transcripts of the same recordings as files: word errors, words lost and
 * doubled, and how long first and final words take, with 1, 4 and 16 callers at once. Whisper tiny.en on its published
 * weights; PocketSphinx where more callers are than it carries. The rows of each number of callers are printed at once.
 *
 *   BENCH_LIVE_CALLERS=1,4 BENCH_LIVE_BEFORE=FOLDER npm run bench -- live-text
 *   BENCH_LIVE_CALLERS=16,64 BENCH_LIVE_WHISPER_MAX=64 BENCH_LIVE_DEVICE=cuda npm run bench -- live-text
 *
 * `BENCH_LIVE_BEFORE` names another checkout, with its packages installed, whose server runs before this one's.
 * `BENCH_LIVE_DEVICE` is the server's `LOQUAT_DEVICE`, which then takes as many threads as it chooses itself.
 */
import { loadavg } from "node:os";
import { toInt16, wavHeader } from "../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { clip, references } from "../../test/clips.ts";
import { normalizerOf, percent, wordErrors } from "../../test/wer.ts";
import { realStore, unlessReal } from "../../testing/packages/real-weights.ts";
import { HERE, otherIn } from "../against/checkout.ts";
import { transcriptOf } from "../harness/client.ts";
import { median, quantile, type Row } from "../harness/row.ts";
import { type Server, startServer } from "../harness/server.ts";
import { type LiveRecording, type LiveResult, streamAll } from "./live-streams.ts";

const SOCKET_RATE = 24_000;
const CALLERS = Bun.env.BENCH_LIVE_CALLERS?.split(",").map(Number) ?? [1, 4, 16];
const WHISPER_MAX = Number(Bun.env.BENCH_LIVE_WHISPER_MAX ?? 4); // callers that two cores carry
const DEVICE = Bun.env.BENCH_LIVE_DEVICE;
const FIRST_MAX_MS = 1500;
const FINAL_MAX_MS: Record<number, number> = { 1: 700, 4: 1500 };

export async function* benchLiveText(): AsyncGenerator<Row> {
  const missing = unlessReal("whisper", "vad", "turn");
  if (missing !== "") return yield { name: `live text${missing}`, value: 0, unit: "rows" };
  const before = Bun.env.BENCH_LIVE_BEFORE;
  const checkouts = { ...(before ? { before: otherIn(before) } : {}), now: HERE };
  const known = references();
  const recordings = await Promise.all(
    known.map(async ([path]) => ({ path, samples: await clip(path, SOCKET_RATE) })),
  );
  const machine: Record<string, string> = DEVICE ? { LOQUAT_DEVICE: DEVICE } : { LOQUAT_THREADS: "2" };
  for (const callers of CALLERS)
    for (const [when, { command }] of Object.entries(checkouts)) {
      const isCarried = callers <= WHISPER_MAX;
      const weights: Record<string, string> = isCarried ? { LOQUAT_WEIGHTS: realStore() } : {};
      await using server = await startServer({ ...machine, ...weights }, command);
      const name = `${isCarried ? "Whisper" : "PocketSphinx"}, ${callers} at once, ${when}`;
      yield* await liveRows(server, { name, callers, recordings, known: new Map(known) });
    }
}

type Asked = { name: string; callers: number; recordings: LiveRecording[]; known: Map<string, string> };

async function liveRows(server: Server, { name, callers, recordings, known }: Asked): Promise<Row[]> {
  const files = new Map<string, string>();
  for (const path of known.keys()) {
    const samples = toInt16(await clip(path));
    files.set(
      path,
      await transcriptOf(server, new Blob([wavHeader(samples.length, ASR_SAMPLE_RATE), samples])),
    );
  }
  await streamAll(server, recordings.slice(1, 2), 1);
  const rounds = Math.ceil((2 * callers) / recordings.length); // two recordings a caller at least
  const results = await streamAll(server, Array.from({ length: rounds }, () => recordings).flat(), callers);
  const [load] = loadavg() as [number];
  const rateOf = (texts: (result: LiveResult) => string) =>
    percent(results.map((result) => wordErrors(known.get(result.path)!, texts(result))));
  const [live, file] = [rateOf(({ text }) => text), rateOf(({ path }) => files.get(path)!)];
  const changes = results.map(({ path, text }) => changesOf(wordsOf(files.get(path)!), wordsOf(text)));
  const firsts = results.map(({ firstMs }) => firstMs ?? Number.POSITIVE_INFINITY);
  const finals = results.flatMap(({ finalMs }) => finalMs);
  const sumOf = (kind: "lost" | "added") => changes.reduce((sum, each) => sum + each[kind], 0);
  const isHere = name.endsWith("now") && callers <= WHISPER_MAX;
  const final = isHere ? FINAL_MAX_MS[callers] : undefined;
  return [
    { name: `${name}: load of the machine`, value: load, unit: "" },
    { name: `${name}: WER live, ${normalizerOf("en")}`, value: live, unit: "%" },
    { name: `${name}: WER of the files`, value: file, unit: "%" },
    {
      ...{ name: `${name}: live above files`, value: live - file, unit: "points" },
      ...(isHere ? { target: "at most 1" } : {}),
    },
    { name: `${name}: words of the files that are missing`, value: sumOf("lost"), unit: "" },
    { name: `${name}: words that the files do not have`, value: sumOf("added"), unit: "" },
    {
      ...{ name: `${name}: transcripts that are not their deltas`, unit: "" },
      ...{ value: results.filter(({ isAppended }) => !isAppended).length, target: "at most 0" },
    },
    {
      ...{ name: `${name}: first words after the first sound, p50`, value: median(firsts), unit: "ms" },
      ...(isHere ? { target: `at most ${FIRST_MAX_MS}` } : {}),
    },
    { name: `${name}: first words, p90`, value: quantile(firsts, 0.9), unit: "ms" },
    {
      ...{ name: `${name}: final text after speech_stopped, p50`, value: median(finals), unit: "ms" },
      ...(final ? { target: `at most ${final}` } : {}),
    },
    { name: `${name}: final text, p90`, value: quantile(finals, 0.9), unit: "ms" },
  ];
}

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];

/** What a text lacks of another, and has beyond it, in the longest order that both share. */
function changesOf(file: string[], live: string[]): { lost: number; added: number } {
  let lengths = new Uint16Array(live.length + 1);
  for (const word of file) {
    const next = new Uint16Array(live.length + 1);
    for (const [index, other] of live.entries())
      next[index + 1] = word === other ? lengths[index]! + 1 : Math.max(lengths[index + 1]!, next[index]!);
    lengths = next;
  }
  const shared = lengths.at(-1)!;
  return { lost: file.length - shared, added: live.length - shared };
}
