/**
 * Promise: the published implementation of the protocol, unmodified, understands this server. It is the Python package
 * `wyoming`; where it cannot be installed, this is skipped.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { pythonWith } from "../../testing/python.ts";
import { type Harness, openHarness } from "../harness.ts";
import { type ServedWyoming, serveWyoming } from "./peer.ts";

const SCRIPT = fileURLToPath(new URL("peer.py", import.meta.url));
const python = pythonWith(["wyoming==1.10.2"]);
const hears = installedFamilies().has("sphinx");
const isRun = python !== null && hears;
const unless = isRun
  ? ""
  : ` (skipped: the Python package wyoming${hears ? "" : ", or libpocketsphinx,"} is not installed)`;

let harness: Harness;
let server: ServedWyoming;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "loquat-wyoming-"));
  harness = await openHarness();
  server = await serveWyoming(harness);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await harness[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

test.if(isRun)(`the published client describes, transcribes, synthesizes and streams${unless}`, async () => {
  const body = { model: "svc-tts1", voice: "male-deep", input: "We are at the old house by the river." };
  const spoken = await harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify(body) });
  const wav = join(folder, "speech.wav");
  await Bun.write(wav, await spoken.bytes());
  const child = Bun.spawn([python!, SCRIPT, String(server.port), wav], { stderr: "pipe" });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([err, await child.exited]).toEqual(["", 0]);
  const { describe, transcribe, synthesize, named, streaming, refused } = JSON.parse(out);
  expect(describe).toMatchObject({
    asr: [["svc-stt1", ["en"]]],
    installed: true,
    streams: [true],
    pong: "here",
  });
  expect(describe.voices).toContain("female-warm");
  expect(transcribe).toMatchObject({ first: "transcript-start", last: "transcript-stop" });
  expect(transcribe.text).toContain("house");
  expect(transcribe.chunks).toBe(transcribe.text);
  for (const clip of [synthesize, named]) {
    expect(clip).toMatchObject({ rate: 24_000, width: 2, channels: 1 });
    expect(clip.seconds).toBeGreaterThan(0.3);
  }
  expect(streaming.at(-1)).toBe("synthesize-stopped");
  expect(streaming.filter((type: string) => type === "audio-start")).toHaveLength(3);
  expect(refused).toEqual({ code: "invalid_voice", ends: true });
});
