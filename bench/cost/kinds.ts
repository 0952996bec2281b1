/** The kinds of requests whose cost is counted: each opens a process, and asks it for many of them. */
import { fileURLToPath } from "node:url";
import { wavHeader } from "../../src/audio/pcm.ts";
import { openStub } from "../../test/llm-stub.ts";
import { inParallel } from "../harness/row.ts";
import { get, openWire, post } from "../harness/wire.ts";
import { type Caller, dial, framesOf } from "../realtime/caller.ts";
import type { InstantOptions } from "../requests/instant.ts";
import { BODY, ONE } from "../requests/metered.ts";
import { type Counted, openCounted } from "./counted.ts";
import type { Counters } from "./counters.ts";

type Ceiling = { objects: number; kilobytes: number };
type Environment = Record<string, string>;

/** `ask` makes so many requests, one after another. */
export type Subject = AsyncDisposable &
  Pick<Counted<unknown>, "count" | "countLeft"> & { ask(times: number): Promise<void> };

export type Kind = {
  name: string;
  /** Of one request, on SQLite. */
  ceiling: Ceiling;
  /** Of its objects, those that are left once new objects were collected. Only of what many may ask for at the same time. */
  leftMax?: number;
  open(environment: Environment): Promise<Subject>;
};

const scriptAt = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const INSTANT = scriptAt("../requests/instant.ts");
const CHARGING = scriptAt("charging.ts");
const FRAME_SECONDS = 0.1;
const FRAME_GAP_MS = 2;
const AT_ONCE = 50; // sessions that are opened at once

/** Of requests to a server, as bytes, with one of its keys after another. `script`: the server, of this checkout or another one. */
export const ofServer =
  (
    requestOf: (key: string) => Uint8Array,
    { script = INSTANT, options = ONE }: { script?: string; options?: InstantOptions } = {},
  ) =>
  async (environment: Environment): Promise<Subject> => {
    const process = await openInstant(environment, { script, options });
    const { port, keys } = process.ready;
    const requests = keys.map(requestOf);
    return {
      ...process,
      async ask(times) {
        const wire = await openWire(port); // one that waits too long is closed
        for (let turn = 0; turn < times; turn++) {
          const status = await wire.ask(requests[turn % requests.length]!);
          if (status !== 200) throw new Error(`the server answered ${status}`);
        }
        wire.close();
      },
    };
  };

const openInstant = (
  environment: Environment,
  { script = INSTANT, options = ONE }: { script?: string; options?: InstantOptions } = {},
) => openCounted<{ port: number; keys: string[] }>([script, JSON.stringify(options)], environment);

/** See `ofServer`. */
export const speechOf = (server: { script?: string; options?: InstantOptions } = {}) =>
  ofServer((key) => post("/v1/audio/speech", key, BODY), server);

/** A form with a recording of a tenth of a second. */
function transcriptionBy(key: string): Uint8Array {
  const [rate, boundary] = [16_000, "x-boundary"];
  const samples = new Int16Array(rate / 10);
  const field = (name: string, more = "") =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(`${field("model")}svc-stt1\r\n${field("file", '; filename="a.wav"')}`),
    wavHeader(samples.length, rate),
    new Uint8Array(samples.buffer),
    Buffer.from(`\r\n--${boundary}--`),
  ]);
  return post("/v1/audio/transcriptions", key, {
    type: `multipart/form-data; boundary=${boundary}`,
    body,
  });
}

type Sessions = { sessions: number; ask(callers: Caller[], times: number): Promise<void> };

const ofSessions =
  ({ sessions, ask }: Sessions) =>
  async (environment: Environment): Promise<Subject> => {
    const process = await openInstant(environment);
    const { port, keys } = process.ready;
    const callers: Caller[] = [];
    await inParallel(AT_ONCE, sessions, async () => {
      callers.push(await dial({ url: `http://127.0.0.1:${port}`, key: keys[0]! }));
    });
    return {
      ...process,
      ask: (times) => ask(callers, times),
      async [Symbol.asyncDispose]() {
        for (const caller of callers) caller.close();
        await process[Symbol.asyncDispose]();
      },
    };
  };

/** Frames of a live session, one after another: many at once would be analysed together. */
const openFrames = ofSessions({
  sessions: 1,
  async ask([caller], times) {
    const [frame] = framesOf(new Uint8Array(FRAME_SECONDS * 48_000));
    for (let turn = 0; turn < times; turn++) {
      caller!.send(frame!);
      await Bun.sleep(FRAME_GAP_MS);
    }
    caller!.send(JSON.stringify({ type: "input_audio_buffer.clear" })); // answered once all frames are read
    await caller!.next("cleared");
  },
});

/** Seconds of live sessions that send nothing, all at the same time. */
export const secondsOfSessions = (sessions: number) =>
  ofSessions({ sessions, ask: (_callers, times) => Bun.sleep((times / sessions) * 1000) });

const QUESTION = {
  conversation: "none", // so that each turn costs as much as the first
  input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "What time is it?" }] }],
};

/** Questions to an assistant, each answered in speech by the stub of a language model that never waits. */
async function openTurns(environment: Environment): Promise<Subject> {
  const stub = await openStub({ firstMs: 0, tokensPerSecond: 1e6 });
  const model = { LOQUAT_LLM_URL: stub.url, LOQUAT_LLM_API: "vllm", LOQUAT_LLM_MODEL: "echo" };
  const process = await openInstant({ ...environment, ...model });
  const { port, keys } = process.ready;
  const caller = await dial({ url: `http://127.0.0.1:${port}`, key: keys[0]! }, "model=assistant");
  return {
    ...process,
    async ask(times) {
      for (let turn = 0; turn < times; turn++) {
        const done = caller.next("response.done");
        caller.send(JSON.stringify({ type: "response.create", response: QUESTION }));
        await done;
      }
    },
    async [Symbol.asyncDispose]() {
      caller.close();
      await process[Symbol.asyncDispose]();
      await stub[Symbol.asyncDispose]();
    },
  };
}

async function openCharges(environment: Environment): Promise<Subject> {
  const process = await openCounted([CHARGING], environment);
  return { ...process, ask: (times) => process.ask(String(times)) };
}

export const KINDS: readonly Kind[] = [
  { name: "speech", ceiling: { objects: 920, kilobytes: 57 }, leftMax: 8, open: speechOf() },
  {
    name: "transcription",
    ceiling: { objects: 1740, kilobytes: 133 },
    leftMax: 24,
    open: ofServer(transcriptionBy),
  },
  { name: "a realtime frame of 100 ms", ceiling: { objects: 117, kilobytes: 17 }, open: openFrames },
  { name: "a turn of a conversation", ceiling: { objects: 1990, kilobytes: 111 }, open: openTurns },
  { name: "a charge", ceiling: { objects: 128, kilobytes: 7 }, open: openCharges },
  {
    name: "GET /v1/models",
    ceiling: { objects: 64, kilobytes: 3.3 },
    open: ofServer((key) => get("/v1/models", key)),
  },
];

/** Who ask at the same time. */
export const CALLERS = 16;
const LEFT_ROUNDS = 5;

/**
 * How many objects each of so many requests of several callers leaves behind, where only new objects are collected. What is left
 * stays until all of the heap is, and makes each collection until then longer.
 */
export async function leftOf(subject: Subject, times: number): Promise<number> {
  const askAtOnce = () => Promise.all(Array.from({ length: CALLERS }, () => subject.ask(times / CALLERS)));
  await askAtOnce();
  await subject.countLeft("all");
  const before = await subject.countLeft("all"); // what the first finalized
  for (let round = 1; round < LEFT_ROUNDS; round++) {
    await askAtOnce();
    await subject.countLeft("new");
  }
  await askAtOnce();
  const after = await subject.countLeft("new");
  return (after.objects - before.objects) / (times * LEFT_ROUNDS);
}

/** What each of so many requests cost, once what is hot is compiled. */
export async function costOf(subject: Subject, times: number, rounds: number): Promise<Counters[]> {
  const costs: Counters[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = await subject.count();
    await subject.ask(times);
    const after = await subject.count();
    const names = Object.keys(after) as (keyof Counters)[];
    const entries = names.map((name) => [name, (after[name] - before[name]) / times]);
    costs.push(Object.fromEntries(entries) as Counters);
  }
  return costs;
}
