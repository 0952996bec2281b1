/** Promise: AAC is whole, costs bounded memory, and its processes end with their requests. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { type Claim, soleClaim } from "../../src/engine/claim.ts";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { WITH_FFMPEG } from "../../src/engine/media/decode-program.ts";
import { openDecoder } from "../../src/engine/media/media-decoder.ts";
import { lazily } from "../../src/engine/runner.ts";
import { openSpool } from "../../src/memory/spool.ts";
import { type AacOptions, openAacEncoder } from "../../src/speech/aac-encoder.ts";
import { commandsOfChildren, confined } from "../children.ts";

const installed = installedFamilies().has("decode");
const needsFfmpeg = installed ? "" : " (skipped: node-av is not installed)";
const linux = process.platform === "linux";
const needsProc = linux ? "" : " (skipped: needs /proc)";
const confines = installed && linux;
const needsBoth = confines ? "" : " (skipped: needs node-av and /proc)";
const folder = mkdtempSync(join(tmpdir(), "loquat-aac-"));
afterAll(() => rmSync(folder, { recursive: true }));

const script = new URL("../../workers/media/encode-aac.ts", import.meta.url);
const unread = new URL("unread.ts", import.meta.url);
const open = (options: Partial<AacOptions> = {}) =>
  openAacEncoder({
    spool: openSpool(folder),
    script,
    timeoutMs: 60_000,
    childrenMax: 3,
    ...options,
  });
const decoder = openDecoder({
  maxSeconds: 600,
  timeoutMs: 60_000,
  childrenMax: 1,
  wavReader: lazily(() => {
    throw new Error("AAC is no WAV");
  }),
  program: WITH_FFMPEG,
});

const tone = (seconds: number) =>
  Float32Array.from({ length: seconds * TTS_SAMPLE_RATE }, (_, i) => 0.5 * Math.sin(i / 8));

/** The whole body of a clip of so many seconds, given a second at a time. */
async function encode(seconds: number, claim: Claim = soleClaim(), encoder = open()): Promise<Uint8Array> {
  const encoding = encoder(claim);
  try {
    for (let second = 0; second < seconds; second++) expect(await encoding.encode(tone(1))).toHaveLength(0);
    return (await encoding.finish()).tail;
  } finally {
    encoding.close();
  }
}

const encoding = () => commandsOfChildren().filter((command) => command.includes(unread.pathname)).length;

test.skipIf(!installed)(`a clip contains the encoded tone, to its end${needsFfmpeg}`, async () => {
  const answer = await decoder.decode(await encode(30), soleClaim());
  if ("refusal" in answer) throw new Error(answer.message);
  const { samples, durationSeconds } = answer;
  expect(durationSeconds).toBeGreaterThan(30);
  expect(durationSeconds).toBeLessThan(30.1); // the encoder's delay, and silence that fills its last frame
  for (const start of [1, 15, 29]) {
    const second = samples.subarray(start * 16_000, (start + 0.5) * 16_000);
    const power = second.reduce((sum, value) => sum + value * value, 0) / second.length;
    expect(Math.sqrt(2 * power)).toBeCloseTo(0.5, 1);
  }
});

test.skipIf(!installed)(`every frame has the header of its own length${needsFfmpeg}`, async () => {
  const bytes = await encode(1);
  let frames = 0;
  for (let at = 0; at < bytes.length; frames++) {
    expect([bytes[at], bytes[at + 1]]).toEqual([0xff, 0xf1]);
    at += ((bytes[at + 3]! & 3) << 11) | (bytes[at + 4]! << 3) | (bytes[at + 5]! >> 5);
    expect(at).toBeLessThanOrEqual(bytes.length);
  }
  expect(frames).toBe(Math.ceil(TTS_SAMPLE_RATE / 1024) + 1); // one more for the encoder's delay
});

test.skipIf(!linux)(`a caller who leaves ends the process, and frees its place${needsProc}`, async () => {
  const encoder = open({ script: unread, childrenMax: 1 });
  const caller = new AbortController();
  const left = encode(30, soleClaim(caller.signal), encoder).catch((error: Error) => error.message);
  const next = new AbortController();
  const waiting = encode(1, soleClaim(next.signal), encoder).catch((error: Error) => error.message);
  while (encoding() === 0) await new Promise(setImmediate);
  caller.abort(new Error("left"));
  expect(await left).toBe("left");
  while (encoding() === 0) await new Promise(setImmediate); // the next one's
  next.abort(new Error("left too"));
  expect(await waiting).toBe("left too");
  expect(encoding()).toBe(0);
});

test.skipIf(!confines)(`a process confines itself before it reads a byte${needsBoth}`, async () => {
  const child = Bun.spawn([process.execPath, script.pathname], { stdin: "pipe", stdout: "pipe", env: {} });
  await confined(child.pid);
  child.stdin.end();
  expect([await child.stdout.text(), await child.exited]).toEqual(["", 0]);
});

test("a process that fails, or runs too long, is a refusal", async () => {
  const failed = { code: "inference_unavailable" };
  const script = new URL("../engine/broken.ts", import.meta.url);
  await expect(encode(30, soleClaim(), open({ script }))).rejects.toMatchObject(failed);
  await expect(encode(30, soleClaim(), open({ script: unread, timeoutMs: 1 }))).rejects.toMatchObject(failed);
});

test("an organization leaves one process to others", async () => {
  const script = new URL("../engine/media/stuck.ts", import.meta.url); // never ends on what begins with "s"
  const encoder = open({ script });
  const callers = new AbortController();
  const of = (organization: string): Claim => ({ ...soleClaim(callers.signal), organization });
  const clip = async (organization: string, first: number) => {
    const encoding = encoder(of(organization));
    await encoding.encode(Float32Array.of(first));
    return (await encoding.finish()).tail.length;
  };
  const held = [1, 2, 3].map(() => clip("many", "s".charCodeAt(0) / 32_768).catch(() => "left"));
  expect(await clip("one", 0)).toBe(2);
  callers.abort();
  expect(await Promise.all(held)).toEqual(["left", "left", "left"]);
});
