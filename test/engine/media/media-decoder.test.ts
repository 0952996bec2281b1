/** Promise: any bytes are answered without delay, with their samples or with a refusal, and leave nothing behind. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { WorkerEnd } from "../../../src/engine/back-off.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { WITH_FFMPEG, WITHOUT_FFMPEG } from "../../../src/engine/media/decode-program.ts";
import type { WavWork } from "../../../src/engine/media/media-decoder.ts";
import { type DecoderOptions, openDecoder } from "../../../src/engine/media/media-decoder.ts";
import { soleClaim } from "../../../src/engine/runner.ts";
import { openThreadPool } from "../../../src/engine/threads/thread-pool.ts";
import { external, hoursOfSilence, liars, notAudio, pointers, tone } from "../../audio/hostile.ts";
import { commandsOfChildren, confined, pidsOfChildren } from "../../children.ts";
import { until } from "../../until.ts";

const wavReader = openThreadPool<WavWork>(new URL("../../../workers/media/wav.ts", import.meta.url), {
  size: 1,
});
const installed = installedFamilies().has("decode");
const needsProc = installed && process.platform === "linux" ? "" : " (skipped: needs node-av and /proc)";
const needsFfmpeg = installed ? "" : " (skipped: node-av is not installed)";
const formats = new URL("../../../../shared/audio/formats/", import.meta.url);
const hasFormats = existsSync(formats);
const needsFormats = !installed ? needsFfmpeg : hasFormats ? "" : " (skipped: no shared recordings here)";
/** A program that is not there. */
const NONE = { ...WITH_FFMPEG, script: new URL("no-program.ts", import.meta.url) };
const folder = mkdtempSync(join(tmpdir(), "loquat-decode-"));
const recording = join(folder, "recording.wav");
let visits = 0;
const listener = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(String(++visits)) });

const open = (options: Partial<DecoderOptions> = {}) =>
  openDecoder({
    maxSeconds: 600,
    timeoutMs: 30_000,
    childrenMax: 2,
    wavReader,
    program: WITH_FFMPEG,
    ...options,
  });

/** What became of it: the seconds counted, or the code of the refusal. */
async function outcome(bytes: Uint8Array, decoder = open()): Promise<number | string> {
  const answer = await decoder.decode(bytes, soleClaim());
  if ("refusal" in answer) return answer.refusal;
  expect(answer.samples.length / 16_000).toBe(answer.durationSeconds);
  return answer.durationSeconds;
}

beforeAll(async () => {
  writeFileSync(recording, await tone("wav"));
});

afterAll(async () => {
  await wavReader[Symbol.asyncDispose]();
  await listener.stop(true);
  rmSync(folder, { recursive: true });
});

const VOICE = { sampleRate: 24_000, maxSeconds: 2 };

describe("WAV, which needs no child process", () => {
  const decoder = open({ program: NONE });

  test("is read at the rate and up to the length that is asked for", async () => {
    const answer = await decoder.decode(await tone("wav"), soleClaim(), VOICE);
    expect("samples" in answer && [answer.samples.length, answer.durationSeconds]).toEqual([24_000, 1]);
    expect(await decoder.decode(await tone("wav", 3), soleClaim(), VOICE)).toMatchObject({
      refusal: "audio_too_long",
    });
  });

  test("is read to its last sample and not modified", async () => {
    const wav = await tone("wav");
    const before = Buffer.from(wav);
    expect(await outcome(wav, decoder)).toBe(1);
    expect(Buffer.compare(before, wav)).toBe(0);
  });

  test("of exactly the limit is accepted, and longer is refused", async () => {
    const limited = open({ program: NONE, maxSeconds: 2 });
    expect(await outcome(await tone("wav", 3), limited)).toBe(3); // a second of leeway
    expect(await limited.decode(await tone("wav", 3.1), soleClaim())).toEqual({
      refusal: "audio_too_long",
      message: "The recording is longer than 2 seconds: it has 3.1.",
    });
  });
});

test("a decoder that cannot be loaded is a failure of the server, and not of the recording", async () => {
  const script = new URL("missing-library.ts", import.meta.url);
  const decoding = outcome(await tone("flac"), open({ program: { ...WITH_FFMPEG, script } }));
  await expect(decoding).rejects.toThrow("could not load its decoder");
});

describe("a recording", () => {
  test.skipIf(!installed).each(["mp3", "flac", "opus"] as const)(
    `as %s contains the encoded tone${needsFfmpeg}`,
    async (format) => {
      const answer = await open().decode(await tone(format), soleClaim());
      if ("refusal" in answer) throw new Error(answer.message);
      expect(Math.abs(answer.durationSeconds - 1)).toBeLessThan(0.05);
      const middle = answer.samples.subarray(4000, 12_000);
      const power = middle.reduce((sum, value) => sum + value * value, 0) / middle.length;
      expect(Math.sqrt(2 * power)).toBeCloseTo(0.5, 1);
      const crossings = middle.filter((value, i) => i > 0 && value >= 0 && middle[i - 1]! < 0).length;
      expect(Math.abs(crossings - 24_000 / 8 / (2 * Math.PI) / 2)).toBeLessThan(2); // of half a second
    },
  );

  const programs = [WITHOUT_FFMPEG, ...(installed ? [WITH_FFMPEG] : [])];

  test("is decoded at the rate that is asked for, by both programs", async () => {
    for (const program of programs)
      for (const format of ["mp3", "flac", "opus"] as const) {
        const answer = await open({ program }).decode(await tone(format), soleClaim(), VOICE);
        if ("refusal" in answer) throw new Error(answer.message);
        const middle = answer.samples.subarray(6000, 18_000);
        const crossings = middle.filter((value, i) => i > 0 && value >= 0 && middle[i - 1]! < 0).length;
        expect(Math.abs(crossings - 24_000 / 8 / (2 * Math.PI) / 2)).toBeLessThan(2);
        expect(Math.abs(answer.durationSeconds - 1)).toBeLessThan(0.08);
      }
  });

  // seconds, by another way than FFmpeg: PCM by its size, mp3 by mpg123, Opus by its granule positions, AAC by its frames
  const truth: [string, number][] = [
    ["audio-mono-16-bit-44100Hz.aiff", 121_052 / 44_100],
    ["audio-mono-32-bit-44100Hz.wav", 121_052 / 44_100],
    ["audio-mono-8-bit-44100Hz.wav", 121_052 / 44_100],
    ["audio-stereo-24-bit-44100Hz.flac", 121_052 / 44_100],
    ["big_buck_bunny_small.mp4", (249 * 1024) / 48_000],
    ["silence.wav", 8.212],
    ["stereo.mp3", 1],
    ["stereo.opus", 1.00544],
    ["stereo.wav", 1],
    ["vad-60s.mp3", 111_744 / 44_100],
    ["vad-60s.opus", (387_384 - 312) / 48_000],
  ];

  test.skipIf(needsFormats !== "").each(truth)(
    `%s has its exact duration${needsFormats}`,
    async (name, seconds) => {
      const counted = await outcome(readFileSync(new URL(name, formats)));
      expect(Math.abs(Number(counted) - seconds)).toBeLessThan(0.05);
    },
  );

  test.skipIf(needsFormats !== "").each(truth)(
    `%s cut short gives the remaining samples${needsFormats}`,
    async (name, seconds) => {
      const whole = readFileSync(new URL(name, formats));
      const cuts = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
      const counts = await Promise.all(cuts.map((part) => outcome(whole.subarray(0, part * whole.length))));
      for (const counted of counts) {
        if (typeof counted === "string") expect(counted).toBe("invalid_audio");
        else expect(counted).toBeLessThan(seconds + 0.05);
      }
    },
  );
});

describe("a hostile upload", () => {
  const wav = { file: recording, origin: listener.url.origin };

  test.skipIf(!installed)(`opens no file or address that it names${needsFfmpeg}`, async () => {
    for (const [name, bytes] of Object.entries(pointers(wav.file, wav.origin))) {
      expect([name, await outcome(bytes)]).toEqual([name, "invalid_audio"]);
    }
    expect(await outcome(external(wav.file))).toBe(32 / 16_000); // its own bytes, not the second that it points to
    expect(visits).toBe(0);
    expect(await outcome(readFileSync(recording))).toBe(1); // which would have been readable
  });

  test.skipIf(!installed)(`that is not a recording is refused${needsFfmpeg}`, async () => {
    for (const [name, bytes] of Object.entries(notAudio())) {
      expect([name, await outcome(bytes)]).toEqual([name, "invalid_audio"]);
    }
  });

  test.skipIf(!installed).each(Object.entries(liars()))(
    `of %s is answered${needsFfmpeg}`,
    async (_name, bytes) => {
      const answer = await outcome(bytes);
      if (typeof answer === "string") expect(["invalid_audio", "audio_too_long"]).toContain(answer);
      else expect(answer).toBeLessThan(1);
    },
  );

  test.skipIf(!installed)(`of 93 hours in 9 MB stops at the limit${needsFfmpeg}`, async () => {
    expect(await outcome(hoursOfSilence(93))).toBe("audio_too_long");
  });

  test.skipIf(!installed)(`damaged in any way gives samples or a refusal${needsFfmpeg}`, async () => {
    const files = await Promise.all([tone("mp3"), tone("flac"), tone("opus"), tone("wav")]);
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...files), damage, async (file, hits) => {
        const broken = new Uint8Array(file);
        for (const [index, value] of hits) broken[index % broken.length] = value;
        const answer = await outcome(broken);
        if (typeof answer === "string") expect(["invalid_audio", "audio_too_long"]).toContain(answer);
        else expect(answer).toBeWithin(Number.MIN_VALUE, 600.001);
      }),
      { numRuns: 40 },
    );
  });
});

describe("decoder processes", () => {
  test.skipIf(needsProc !== "")(`leave no process and no descriptor${needsProc}`, async () => {
    const [decoder, mp3, bomb] = [open({ childrenMax: 3 }), await tone("mp3"), hoursOfSilence(93)];
    const leaveEarly = () => decoder.decode(bomb, soleClaim(AbortSignal.timeout(100))).catch(() => {});
    const round = () =>
      Promise.all(Array.from({ length: 6 }, () => [outcome(mp3, decoder), leaveEarly()]).flat());
    await round();
    const before = readdirSync("/proc/self/fd").length;
    await round();
    await round();
    expect(commandsOfChildren()).toEqual([]);
    // The runtime closes the sockets of a child that has ended a moment later.
    await until(() => readdirSync("/proc/self/fd").length <= before);
  });

  test.skipIf(needsProc !== "")(`are ended when they take too long${needsProc}`, async () => {
    expect(await outcome(await tone("mp3"), open({ timeoutMs: 1 }))).toBe("invalid_audio");
    expect(commandsOfChildren()).toEqual([]);
  });

  test.skipIf(needsProc !== "")(`end when their task is cancelled${needsProc}`, async () => {
    const caller = new AbortController();
    const answer = open().decode(hoursOfSilence(93), soleClaim(caller.signal));
    await new Promise(setImmediate);
    expect(commandsOfChildren().length).toBe(1);
    caller.abort(new Error("left"));
    await expect(answer).rejects.toThrow("left");
    expect(commandsOfChildren()).toEqual([]);
  });

  test.skipIf(needsProc !== "")(`that others end are not the fault of the file${needsProc}`, async () => {
    for (const sent of ["SIGKILL", "SIGTERM"] as const) {
      const ends: WorkerEnd[] = [];
      const decoder = open({ ended: (end) => void ends.push(end) });
      const answer = decoder.decode(hoursOfSilence(93), soleClaim()).catch((error) => error.code);
      const pids = () => pidsOfChildren("media/decode");
      await until(() => pids().length > 0);
      for (const pid of pids()) process.kill(pid, sent);
      expect(await answer).toBe("service_unavailable");
      expect(ends.map(({ kind }) => kind)).toEqual(["process"]);
    }
    expect(commandsOfChildren()).toEqual([]);
  });

  test.skipIf(needsProc !== "")(`drop their privileges before they read a byte${needsProc}`, async () => {
    const child = Bun.spawn([process.execPath, WITH_FFMPEG.script.pathname, "600", "10"], {
      stdin: "pipe",
      stdout: "ignore",
      env: {},
    });
    await confined(child.pid);
    child.stdin.end();
    expect(await child.exited).toBe(10);
  });
});
