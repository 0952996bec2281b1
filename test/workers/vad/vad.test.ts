/** Promise: a VAD stream gives the same results for any chunking, in every format, whatever other streams exist. */
import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { toInt16 } from "../../../src/audio/pcm.ts";
import type { LiveFormat } from "../../../src/engine/protocol/live-format.ts";
import type { VadResult, VadTask } from "../../../src/engine/protocol/vad.ts";
import { openThreadPool } from "../../../src/engine/threads/thread-pool.ts";
import { TurnBuffer } from "../../../src/realtime/turn-buffer.ts";
import { openRandom } from "../../../testing/packages/random.ts";
import { openSilero } from "../../../workers/vad/silero.ts";
import { clip, hasClips, hasSilero, unlessSilero, WEIGHTS } from "../../clips.ts";
import { goldenSignal } from "../features/signal.ts";

const MODEL = `${WEIGHTS}/silero-vad/silero_vad.onnx`;
const openVadStream = (model: string | null) =>
  openThreadPool(new URL("../../../workers/vad/vad.ts", import.meta.url), {
    size: 1,
    data: { model },
  });
const vadStreams = { fvad: openVadStream(null), ...(hasSilero ? { silero: openVadStream(MODEL) } : {}) };
afterAll(() => Promise.all(Object.values(vadStreams).map((vadStream) => vadStream[Symbol.asyncDispose]())));

const bytesOf = (samples: Float32Array) => new Uint8Array(toInt16(samples).buffer);
const PCM: LiveFormat = { type: "audio/pcm", rate: 16_000 };
let lastId = 0;

/** What one stream of these chunks comes to. */
async function hear(detector: keyof typeof vadStreams, chunks: Uint8Array[], format: LiveFormat = PCM) {
  const id = ++lastId;
  const tasks: VadTask[] = chunks.map((bytes) => ({
    kind: "voice-activity",
    open: [],
    feed: [{ id, bytes, detect: true }],
    close: [],
  }));
  tasks[0]?.open.push({ id, format });
  tasks.at(-1)?.close.push(id);
  const results: VadResult[] = [];
  for (const task of tasks) results.push(...(await vadStreams[detector]!.run(task)));
  return {
    samples: results.flatMap(({ samples }) => [...samples]),
    probabilities: results.flatMap(({ probabilities }) => [...probabilities]),
  };
}

test("hiss is no speech from the first window of a stream on", async () => {
  const random = openRandom(9);
  for (const level of [0.001, 0.003, 0.01, 0.03]) {
    const hiss = Float32Array.from({ length: 16_000 }, () => level * (2 * random() - 1));
    const { probabilities } = await hear("fvad", [bytesOf(hiss)]);
    expect(Math.max(...probabilities)).toBeLessThan(0.5);
  }
});

test.skipIf(!hasClips)("speech that begins a stream is speech, as soon as its padding allows", async () => {
  const { probabilities } = await hear("fvad", [
    bytesOf((await clip("speech-en/LJ001-0001.wav")).subarray(0, 16_000)),
  ]);
  expect(probabilities.findIndex((each) => each >= 0.5)).toBeLessThan(10); // windows of 30 ms
});

function cut(bytes: Uint8Array, sizes: number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    chunks.push(bytes.slice(at, at + sizes[turn % sizes.length]!));
    at += sizes[turn % sizes.length]!;
  }
  return chunks;
}

describe.skipIf(!hasSilero)(`Silero VAD${unlessSilero}`, () => {
  test("gives the published probabilities, alone and among others", async () => {
    const detector = await openSilero(MODEL);
    const signal = goldenSignal();
    const windows = Array.from({ length: 62 }, (_, at) => signal.subarray(at * 512, (at + 1) * 512));
    const streams = Array.from({ length: 5 }, () => detector.open());
    const found: number[][] = [];
    for (const [at, window] of windows.entries()) {
      const others = streams.slice(1).map((_, other) => windows[(at * 7 + other) % 62]!);
      found.push([...(await detector.detect(streams, [window, ...others]))]);
    }
    const ofFirst = found.map(([first]) => first!);
    const first = [
      0.229, 0.46561, 0.42351, 0.2536, 0.21507, 0.20887, 0.23421, 0.23891, 0.18597, 0.30279, 0.35465, 0.33681,
    ];
    for (const [at, probability] of first.entries()) expect(ofFirst[at]).toBeCloseTo(probability, 3);
    for (const [at, probability] of [0.00398, 0.00306, 0.00271].entries())
      expect(ofFirst[59 + at]).toBeCloseTo(probability, 3);
  });
});

const bytes = bytesOf(goldenSignal().map((sample, at) => (at % 9000 < 4000 ? 0 : sample)));

describe.each(Object.keys(vadStreams) as (keyof typeof vadStreams)[])("%s", (detector) => {
  test("gives the same results for any chunking", async () => {
    const whole = await hear(detector, [bytes]);
    expect(whole.samples).toHaveLength(32_123);
    expect(whole.probabilities.length).toBeGreaterThan(60);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 32_000 }), { minLength: 1 }), async (sizes) => {
        const sensible = sizes.map((size) => Math.max(size, 300)); // a round trip each
        expect(await hear(detector, cut(bytes, sensible))).toEqual(whole);
      }),
      { numRuns: 10 },
    );
    const start = bytes.slice(0, 4001);
    expect(await hear(detector, cut(start, [1]))).toEqual(await hear(detector, [start]));
  });

  test("gives the same results for every format and rate", async () => {
    const formats: [LiveFormat, number][] = [
      [{ type: "audio/pcm", rate: 24_000 }, 48_000],
      [{ type: "audio/pcm", rate: 48_000 }, 96_000],
      [{ type: "audio/pcm", rate: 11_025 }, 22_050],
      [{ type: "audio/pcm", rate: 8000 }, 16_000],
      [{ type: "audio/pcmu" }, 8000],
      [{ type: "audio/pcma" }, 8000],
    ];
    for (const [format, second] of formats) {
      const noise = Uint8Array.from({ length: second }, (_, at) => (at * 7919) % 251);
      const whole = await hear(detector, [noise], format);
      expect(Math.abs(whole.samples.length - 16_000)).toBeLessThan(60); // the filter's own reach
      expect(await hear(detector, cut(noise, [333, 1, 5000]), format)).toEqual(whole);
    }
  });

  test("gives streams side by side the results of each alone", async () => {
    const quiet = new Uint8Array(bytes.length);
    const alone = await Promise.all([hear(detector, [bytes]), hear(detector, [quiet])]);
    const [a, b] = [++lastId, ++lastId];
    const task = (close: number[], from: number, until: number): VadTask => ({
      kind: "voice-activity",
      open: from === 0 ? [a, b].map((id) => ({ id, format: PCM })) : [],
      feed: [
        { id: a, bytes: bytes.slice(from, until), detect: true },
        { id: b, bytes: quiet.slice(from, until), detect: true },
      ],
      close,
    });
    const answers = [
      ...(await vadStreams[detector]!.run(task([], 0, 20_001))),
      ...(await vadStreams[detector]!.run(task([a, b], 20_001, bytes.length))),
    ];
    for (const [at, id] of [a, b].entries()) {
      const results = answers.filter((result) => result.id === id);
      expect(results.flatMap(({ probabilities }) => [...probabilities])).toEqual(alone[at]!.probabilities);
    }
  });

  test.skipIf(!hasClips)(
    `distinguishes speech from silence${hasClips ? "" : " (skipped: no recordings here)"}`,
    async () => {
      const spoken = await clip("speech-en/LJ001-0001.wav");
      const { probabilities: yes } = await hear(detector, [bytesOf(spoken)]);
      const { probabilities: no } = await hear(detector, [new Uint8Array(96_000)]);
      const share = (all: number[]) => all.filter((each) => each >= 0.5).length / all.length;
      expect(share(yes)).toBeGreaterThan(0.8);
      expect(share(no)).toBeLessThan(0.05);
    },
  );
});

test("without detection, no probabilities are computed", async () => {
  const id = ++lastId;
  const [result] = await vadStreams.fvad.run({
    kind: "voice-activity",
    open: [{ id, format: PCM }],
    feed: [{ id, bytes: new Uint8Array(9600), detect: false }],
    close: [id],
  });
  expect([...result!.probabilities]).toEqual(Array(10).fill(-1));
});

describe("a stream whose silence is not returned", () => {
  /** Bursts of sound between silences of many lengths. */
  const bursts = bytesOf(
    goldenSignal().map((sample, at) => (at % 9000 < 1000 + 6000 * ((at / 9000) % 1) ? 0 : 8 * sample)),
  );
  const rules = { threshold: 0.5, silenceMs: 120, prefixMs: 100, forceMs: null };

  /** The events of its turns; audio as its samples. */
  async function turnsOf(chunks: Uint8Array[], idleMs: number | null, isWithheld: boolean) {
    const id = ++lastId;
    const turns = new TurnBuffer();
    const events: unknown[] = [];
    let returned = 0;
    for (const [index, bytes] of chunks.entries()) {
      const silence = isWithheld ? turns.silence({ ...rules, idleMs }) : null;
      const [result] = await vadStreams.fvad.run({
        kind: "voice-activity",
        open: index === 0 ? [{ id, format: PCM }] : [],
        feed: [{ id, bytes, detect: true, ...(silence && { silence }) }],
        close: index === chunks.length - 1 ? [id] : [],
      });
      returned += result!.samples.length;
      for (const event of turns.process(result!, { ...rules, idleMs }))
        events.push("samples" in event ? [...event.samples] : event);
    }
    return { events, returned };
  }

  test("has the same turns with the same audio, for any chunking", async () => {
    const sizes = fc.array(fc.integer({ min: 1000, max: 20_000 }), { minLength: 1, maxLength: 6 });
    const idle = fc.constantFrom(null, 200);
    await fc.assert(
      fc.asyncProperty(sizes, idle, async (sizes, idleMs) => {
        const chunks = cut(bursts, sizes);
        const [all, withheld] = await Promise.all([
          turnsOf(chunks, idleMs, false),
          turnsOf(chunks, idleMs, true),
        ]);
        expect(all.events.length).toBeGreaterThan(10);
        expect(withheld.events).toEqual(all.events);
      }),
      { numRuns: 15 },
    );
  });

  test("returns no samples while there is no speech", async () => {
    const { events, returned } = await turnsOf(cut(new Uint8Array(64_000), [3200]), null, true);
    expect(events).toEqual([]);
    expect(returned).toBe(0);
  });
});
