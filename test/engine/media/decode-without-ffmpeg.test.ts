/** Promise: without FFmpeg four formats are decoded as with it, in a process as confined, and others are refused by name. */
import { describe, expect, test } from "bun:test";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { type DecodeProgram, WITH_FFMPEG, WITHOUT_FFMPEG } from "../../../src/engine/media/decode-program.ts";
import { type DecoderOptions, openDecoder } from "../../../src/engine/media/media-decoder.ts";
import { lazily, soleClaim } from "../../../src/engine/runner.ts";
import { hoursOfSilence, liars, tone } from "../../audio/hostile.ts";
import { type Format, packed } from "../../audio/packed.ts";
import { commandsOfChildren, confined } from "../../children.ts";

const hasFfmpeg = installedFamilies().has("decode");
const needsFfmpeg = hasFfmpeg ? "" : " (skipped: node-av is not installed)";
const needsProc = process.platform === "linux" ? "" : " (skipped: needs /proc)";

const open = (program: DecodeProgram = WITHOUT_FFMPEG, options: Partial<DecoderOptions> = {}) =>
  openDecoder({
    maxSeconds: 600,
    timeoutMs: 60_000,
    childrenMax: 3,
    wavReader: lazily(() => {
      throw new Error("nothing here is WAV");
    }),
    program,
    ...options,
  });

async function decoded(bytes: Uint8Array, program?: DecodeProgram): Promise<Float32Array> {
  const answer = await open(program).decode(bytes, soleClaim());
  if ("refusal" in answer) throw new Error(answer.message);
  return answer.samples;
}

const refused = async (bytes: Uint8Array, options: Partial<DecoderOptions> = {}): Promise<string> => {
  const answer = await open(WITHOUT_FFMPEG, options).decode(bytes, soleClaim());
  return "refusal" in answer ? `${answer.refusal}: ${answer.message}` : `${answer.durationSeconds} seconds`;
};

/** The samples' power over that of the difference, in decibels. */
function likeness(ours: Float32Array, theirs: Float32Array): number {
  const length = Math.min(ours.length, theirs.length);
  let [power, difference] = [0, 0];
  for (let i = 0; i < length; i++) {
    power += theirs[i]! ** 2;
    difference += (ours[i]! - theirs[i]!) ** 2;
  }
  return 10 * Math.log10(power / difference);
}

describe("a recording", () => {
  test.skipIf(!hasFfmpeg).each<[Format]>([["mp3"], ["flac"], ["opus"], ["ogg vorbis"]])(
    `as %s has the samples that FFmpeg gives${needsFfmpeg}`,
    async (format) => {
      const bytes = await packed(format);
      const [ours, theirs] = await Promise.all([decoded(bytes), decoded(bytes, WITH_FFMPEG)]);
      expect(Math.abs(ours.length - theirs.length)).toBeLessThan(64); // FFmpeg drops the end of the last packet
      expect(likeness(ours, theirs)).toBeGreaterThan(60);
    },
  );

  test("beyond the limit is refused, and of exactly the limit is not", async () => {
    expect(await refused(await tone("flac", 3), { maxSeconds: 2 })).toBe("3 seconds"); // a second of leeway
    expect(await refused(await tone("flac", 3.1), { maxSeconds: 2 })).toBe(
      "audio_too_long: The recording is longer than 2 seconds: it has 3.1.",
    );
  });
});

describe("a hostile upload", () => {
  test("of 93 hours in 9 MB stops at the limit", async () => {
    expect(await refused(hoursOfSilence(93))).toStartWith("audio_too_long");
  });

  test("in another format is refused with the formats that are read, and how to add FFmpeg", async () => {
    const lies = Object.entries(liars()).filter(([name]) => !name.startsWith("wav"));
    for (const [name, bytes] of lies) {
      const outcome = await refused(bytes);
      expect([name, outcome]).toEqual([
        name,
        expect.stringContaining("WAV, MP3, FLAC, Ogg Opus or Ogg Vorbis"),
      ]);
      expect(outcome).toContain(
        'FFmpeg: it is not installed on this server, and its operator can add it with "',
      );
    }
  });
});

describe("the process", () => {
  test.skipIf(needsProc !== "")(`is ended when it takes too long${needsProc}`, async () => {
    expect(await refused(await tone("mp3"), { timeoutMs: 1 })).toContain("could not be decoded");
    expect(commandsOfChildren()).toEqual([]);
  });

  test.skipIf(needsProc !== "")(`drops its privileges before it reads a byte${needsProc}`, async () => {
    const child = Bun.spawn([process.execPath, WITHOUT_FFMPEG.script.pathname, "600", "10"], {
      stdin: "pipe",
      stdout: "ignore",
      env: {},
    });
    await confined(child.pid);
    child.stdin.end();
    expect(await child.exited).toBe(10);
  });
});
