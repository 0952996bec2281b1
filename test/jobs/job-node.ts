/** A node that does jobs, with its database, files and ledger, and a stand-in for its recognizer. */
import { join } from "node:path";
import type { Clock } from "../../src/clock.ts";
import { readConfig } from "../../src/config/config.ts";
import { serverSecrets } from "../../src/db/encryption.ts";
import { type JobRows, openJobRows } from "../../src/db/queries/job-rows.ts";
import { openWorkRows } from "../../src/db/queries/work-rows.ts";
import type { RecognitionTask } from "../../src/engine/protocol/recognition.ts";
import type { Engine } from "../../src/engine/registry.ts";
import { newId } from "../../src/ids.ts";
import { type Jobs, jobIdOf, type NewJobRequest } from "../../src/jobs/jobs.ts";
import type { NewSpeechJob } from "../../src/jobs/speech-jobs.ts";
import { openAllowance } from "../../src/limits/allowance.ts";
import { openLog } from "../../src/log/log.ts";
import { openMetrics } from "../../src/metrics/metrics.ts";
import { machineLimits } from "../../src/plans.ts";
import { openOwnFiles } from "../../src/server/own-files.ts";
import { openOwnJobs } from "../../src/server/own-jobs.ts";
import { openStorage, type Storage } from "../../src/server/storage.ts";
import { type Dictionary, openDictionary } from "../../src/speech/script/dictionary.ts";
import { openVoices } from "../../src/voices/voices.ts";
import { openWork } from "../../src/work/work-queue.ts";
import { speakingEngine, synthesizerOf } from "./speaking-engine.ts";

export const PRICE_MICROS = 100_000_000; // of a million seconds: 100 micros a second

export type NodeOptions = {
  folder: string;
  /** Of PostgreSQL; null: the database is in the folder. */
  url?: string | null | undefined;
  clock: Clock;
  environment?: Record<string, string>;
  engine?: Engine;
  speaking?: Engine;
  /** How the organization reads words. */
  dictionary?: Dictionary;
  /** For tests to replace a step. */
  rowsOf?: (rows: JobRows) => JobRows;
  ledgerOf?: (ledger: Storage["ledger"]) => Storage["ledger"];
};

/** Says which samples it was given: the same samples give the same words, and the first language that it finds stays. */
export const tellingEngine: Engine = {
  async run<T>(task: object): Promise<T> {
    const { samples, port, language } = task as RecognitionTask;
    const seconds = samples.length / 16_000;
    let sum = 0;
    for (let i = 0; i < samples.length; i++) sum += Math.abs(samples[i]!);
    const word = (text: string, start: number) => ({ text, start, end: start + 0.5, confidence: 0.5 });
    const words = [word(`${samples.length}`, 0), word(sum.toFixed(2), seconds - 1)];
    port.postMessage({ start: 0, end: seconds, words, language: language ?? "de" });
    return 1 as T;
  },
};

/** Recognizes nothing before its caller leaves. */
export function holding() {
  let begun = 0;
  const engine: Engine = {
    async run<T>(_task: object, { signal }: { signal: AbortSignal }): Promise<T> {
      begun++;
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      return 0 as T;
    },
  };
  return { engine, begun: () => begun };
}

/** Does what waits at that time, as another node, in Unix milliseconds. */
export async function goOn(
  { folder, url }: Pick<NodeOptions, "folder" | "url">,
  nowMs: number,
): Promise<void> {
  await using node = await openJobNode({ folder, url, clock: { now: () => nowMs } });
  await node.work.run();
}

export async function openJobNode(options: NodeOptions) {
  const { folder, url = null, clock, environment = {}, engine = tellingEngine } = options;
  const { speaking = speakingEngine().engine, dictionary = openDictionary([]) } = options;
  const { rowsOf = (rows) => rows, ledgerOf = (ledger) => ledger } = options;
  const stack = new AsyncDisposableStack();
  const config = readConfig({
    ...{ LOQUAT_DATA: folder, ...environment },
    ...(url === null ? {} : { DATABASE_URL: url }),
  });
  const logged: { event: string; [field: string]: unknown }[] = [];
  const log = openLog("debug", (line) => logged.push(JSON.parse(line)));
  const storage = stack.use(await openStorage(config, { clock }));
  const { database, accounts } = storage;
  const rows = rowsOf(openJobRows(database));
  const ledger = ledgerOf(storage.ledger);
  const work = stack.use(openWork({ rows: openWorkRows(database), node: "test", clock, log }));
  const metrics = openMetrics();
  const allowance = openAllowance({ ledger, machine: machineLimits(config) });
  const files = stack.use(await openOwnFiles(config, { ...storage, allowance, clock, log }));
  const remedy = () => "Ask the operator.";
  const own = stack.use(
    openOwnJobs(config, {
      ...{ database, accounts, ledger, allowance, ...files, work, rows, clock, log, metrics },
      decoder: { decode: () => Promise.reject(new Error("nothing is decoded here")) },
      registry: { engine: () => engine },
      synthesizer: synthesizerOf(speaking, join(folder, "spool")),
      pronunciations: { dictionaryOf: async () => dictionary },
      voices: openVoices(database, {
        ...{ clock, max: 1, secrets: serverSecrets(config.identity, accounts) },
      }),
      remedies: { credit: remedy, spending: remedy, limits: remedy },
      ...{ charged: () => {}, ended: () => {} },
    }),
  );
  return {
    ...{
      database,
      accounts,
      ledger,
      files,
      rows,
      work,
      logged,
      metrics,
      config,
      ...own,
      cleanFiles: files.cleanFiles,
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export type JobNode = Awaited<ReturnType<typeof openJobNode>>;

/** The first organization of a fresh database, with its key and so much credit. */
export async function firstPrincipal({ accounts, ledger }: JobNode, { creditMicros = 1e9 } = {}) {
  const first = (await accounts.firstStart("prepaid"))!;
  const { organizationId } = first;
  const grant = {
    id: "grant_plenty",
    organizationId,
    kind: "adjustment",
    amountMicros: creditMicros,
  } as const;
  await ledger.grant({ ...grant, createdAt: 0, expiresAt: null, topUpId: null });
  return accounts.principalOfStarter(first.key.id);
}

export type Principal = Awaited<ReturnType<typeof firstPrincipal>>;

/** What a request asks for. */
export function asked(
  clock: Clock,
  input: NewJobRequest["input"],
  more: Partial<NewJobRequest> = {},
): NewJobRequest {
  const requestId = newId("req", clock);
  const hints = { language: null, prompt: "" };
  return {
    ...{ id: jobIdOf(requestId), requestId, kind: "transcription", model: "svc-stt1" },
    ...{ priceMicros: PRICE_MICROS, responseFormat: "json", metadata: {}, input },
    reading: {
      ...{
        language: "en",
        isDiarized: false,
        tellsWordTimes: true,
        granularities: ["segment"],
        logprobs: false,
      },
    },
    request: { engine: "telling", diarizer: null, hints, speakers: { known: [], count: null } },
    ...more,
  };
}

/** What a request for speech asks for: text that is divided into chapters of these texts. */
export function askedSpeech(clock: Clock, texts: string[], more: Partial<NewSpeechJob> = {}): NewSpeechJob {
  const requestId = newId("req", clock);
  const reader = { name: "Test", languages: ["en"] };
  return {
    ...{ id: jobIdOf(requestId), requestId, model: "svc-tts1", priceMicros: PRICE_MICROS },
    ...{
      responseFormat: "wav",
      metadata: {},
      fileId: null,
      url: null,
      title: "The book",
      author: null,
      cover: null,
    },
    chapters: texts.map((text, index) => ({ title: `Chapter ${index + 1}`, text })),
    request: {
      ownVoiceId: null,
      voice: { engine: "speaking", speaker: "a", reader, language: "en", speed: 1, instructions: "" },
    },
    ...more,
  };
}

/** What a job has spoken: the whole, or a chapter. */
export async function soundOf(
  { jobs, speechJobs }: Pick<JobNode, "jobs" | "speechJobs">,
  principal: Principal,
  { id, chapter = null }: { id: string; chapter?: number | null },
): Promise<Buffer> {
  const sound = speechJobs.sound((await jobs.find(principal, id))!, chapter);
  const bytes = Buffer.concat(await Array.fromAsync(sound.chunks(0)));
  const { part } = sound;
  if (bytes.length !== part.bytes) throw new Error(`${bytes.length} bytes of ${part.bytes}`);
  return bytes;
}

const RATE = 8000;
const HEADER_BYTES = 44;

/** A second of each loudness, made once: recordings are hours long. */
const loud = new Map<number, Buffer>();

function secondOf(loudness: number): Buffer {
  let bytes = loud.get(loudness);
  if (!bytes) {
    bytes = Buffer.from(
      Array.from({ length: RATE }, (_, index) => 128 + Math.round(loudness * Math.sin(index / 5))),
    );
    loud.set(loudness, bytes);
  }
  return bytes;
}

/** A WAV file of 8 bits at 8 kHz: sound of changing loudness, with a pause in every ten seconds. */
export function recordingOf(seconds: number): Uint8Array {
  const count = Math.round(seconds * RATE);
  const file = Buffer.alloc(HEADER_BYTES + count, 128);
  file.write("RIFF", 0).toString();
  file.writeUInt32LE(36 + count, 4);
  file.write("WAVEfmt ", 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(RATE, 24);
  file.writeUInt32LE(RATE, 28);
  file.writeUInt16LE(1, 32);
  file.writeUInt16LE(8, 34);
  file.write("data", 36);
  file.writeUInt32LE(count, 40);
  for (let second = 0; second < seconds; second++) {
    const start = HEADER_BYTES + second * RATE;
    if (second % 10 < 9) file.set(secondOf(40 + (second % 53)).subarray(0, file.length - start), start);
    if (second % 10 === 8) file.fill(128, start + RATE / 2, start + RATE);
  }
  return file;
}

export const textOf = async ({ jobs }: { jobs: Jobs }, principal: Principal, id: string): Promise<string> =>
  jobs.read((await jobs.find(principal, id))!, new AbortController().signal, ({ text }) => text);
