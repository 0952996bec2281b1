/** The kinds of requests whose cost is counted: each opens a process, and asks it for many of them. */
import { fileURLToPath } from "node:url";
import { wavHeader } from "../../src/audio/pcm.ts";
import { get, openWire, post } from "../harness/wire.ts";
import { dial, framesOf } from "../realtime/caller.ts";
import type { InstantOptions } from "../requests/instant.ts";
import { BODY, ONE } from "../requests/metered.ts";
import { type Counted, openCounted } from "./counted.ts";
import type { Counters } from "./counters.ts";

type Ceiling = { objects: number; kilobytes: number };
type Environment = Record<string, string>;

/** `ask` makes so many requests, one after another. */
export type Subject = AsyncDisposable &
  Pick<Counted<unknown>, "count"> & { ask(times: number): Promise<void> };

export type Kind = {
  name: string;
  /** Of one request, on SQLite. */
  ceiling: Ceiling;
  open(environment: Environment): Promise<Subject>;
};

const scriptAt = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const INSTANT = scriptAt("../requests/instant.ts");
const CHARGING = scriptAt("charging.ts");
const FRAME_SECONDS = 0.1;
const FRAME_GAP_MS = 2;

/** Of one request to a server, as bytes. `script`: the server, of this checkout or another one. */
const ofServer =
  (requestOf: (key: string) => Uint8Array, { script = INSTANT, options = ONE } = {}) =>
  async (environment: Environment): Promise<Subject> => {
    const process = await openInstant(environment, { script, options });
    const { port, keys } = process.ready;
    const wire = await openWire(port);
    const request = requestOf(keys[0]!);
    return {
      ...process,
      async ask(times) {
        for (let turn = 0; turn < times; turn++) {
          const status = await wire.ask(request);
          if (status !== 200) throw new Error(`the server answered ${status}`);
        }
      },
      async [Symbol.asyncDispose]() {
        wire.close();
        await process[Symbol.asyncDispose]();
      },
    };
  };

const openInstant = (environment: Environment, { script = INSTANT, options = ONE } = {}) =>
  openCounted<{ port: number; keys: string[] }>([script, JSON.stringify(options)], environment);

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

/** Frames of a live session, one after another: many at once would be analysed together. */
async function openFrames(environment: Environment): Promise<Subject> {
  const process = await openInstant(environment);
  const { port, keys } = process.ready;
  const caller = await dial({ url: `http://127.0.0.1:${port}`, key: keys[0]! });
  const [frame] = framesOf(new Uint8Array(FRAME_SECONDS * 48_000));
  return {
    ...process,
    async ask(times) {
      for (let turn = 0; turn < times; turn++) {
        caller.send(frame!);
        await Bun.sleep(FRAME_GAP_MS);
      }
      caller.send(JSON.stringify({ type: "input_audio_buffer.clear" })); // answered once all frames are read
      await caller.next("cleared");
    },
    async [Symbol.asyncDispose]() {
      caller.close();
      await process[Symbol.asyncDispose]();
    },
  };
}

async function openCharges(environment: Environment): Promise<Subject> {
  const process = await openCounted([CHARGING], environment);
  return { ...process, ask: (times) => process.ask(String(times)) };
}

export const KINDS: readonly Kind[] = [
  { name: "speech", ceiling: { objects: 1070, kilobytes: 64 }, open: speechOf() },
  { name: "transcription", ceiling: { objects: 1820, kilobytes: 133 }, open: ofServer(transcriptionBy) },
  { name: "a realtime frame of 100 ms", ceiling: { objects: 157, kilobytes: 19 }, open: openFrames },
  { name: "a charge", ceiling: { objects: 141, kilobytes: 7.7 }, open: openCharges },
  {
    name: "GET /v1/models",
    ceiling: { objects: 64, kilobytes: 3.3 },
    open: ofServer((key) => get("/v1/models", key)),
  },
];

/** What each of so many requests cost, once what is hot is compiled. */
export async function costOf(subject: Subject, times: number, rounds: number): Promise<Counters[]> {
  const costs: Counters[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = await subject.count();
    await subject.ask(times);
    const after = await subject.count();
    const of = (name: keyof Counters) => (after[name] - before[name]) / times;
    costs.push({
      objects: of("objects"),
      bytes: of("bytes"),
      statements: of("statements"),
      commands: of("commands"),
    });
  }
  return costs;
}
