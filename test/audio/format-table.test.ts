/** Promise: the list of formats in docs/requests.md is what happens to a file of each; what is refused is named. */

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { withFormats } from "../../scripts/docs/format-table.ts";
import { OggWriter } from "../../src/audio/ogg.ts";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { type DecodeProgram, WITH_FFMPEG, WITHOUT_FFMPEG } from "../../src/engine/media/decode-program.ts";
import type { WavWork } from "../../src/engine/media/media-decoder.ts";
import { openDecoder } from "../../src/engine/media/media-decoder.ts";
import { lazily, soleClaim } from "../../src/engine/runner.ts";
import { NEVER_READ } from "../../workers/media/source/known-formats.ts";
import { made } from "./packed.ts";

const installed = installedFamilies().has("decode");
const needsFfmpeg = installed ? "" : " (skipped: node-av is not installed)";
const TIMEOUT_MS = 240_000;
const wavReader = lazily<WavWork>(() => {
  throw new Error("nothing here is WAV");
});

async function messageOf(bytes: Uint8Array, program: DecodeProgram): Promise<string> {
  const decoder = openDecoder({ maxSeconds: 600, timeoutMs: 60_000, childrenMax: 2, wavReader, program });
  const answer = await decoder.decode(bytes, soleClaim());
  return "refusal" in answer ? answer.message : `${answer.durationSeconds} seconds`;
}

test.skipIf(!installed)(
  `docs/requests.md lists the formats that are read; run npm run docs${needsFfmpeg}`,
  async () => {
    const page = readFileSync(new URL("../../docs/requests.md", import.meta.url), "utf8");
    expect(page).toContain("<!-- formats -->");
    expect(await withFormats(page)).toBe(page);
  },
  TIMEOUT_MS,
);

test(
  "what is never read is refused by its name, and docs/requests.md has it",
  async () => {
    const page = readFileSync(new URL("../../docs/requests.md", import.meta.url), "utf8").replace(
      /\s+/g,
      " ",
    );
    const program = installed ? WITH_FFMPEG : WITHOUT_FFMPEG;
    for (const { name, starts, at = 0 } of NEVER_READ) {
      const bytes = Buffer.concat([Buffer.alloc(at), Buffer.from(starts[0]!, "latin1"), Buffer.alloc(1000)]);
      expect(await messageOf(bytes, program)).toContain(`The audio is ${name}, which is not read here`);
      expect(page).toContain(name);
    }
  },
  TIMEOUT_MS,
);

test("Speex is refused by its name without FFmpeg, and not as a file without sound", async () => {
  const writer = new OggWriter(255);
  const speex = Buffer.concat([
    writer.header(Buffer.from("Speex   1.2".padEnd(80, "\0"))),
    writer.packet(Buffer.alloc(10), 160n) ?? Buffer.alloc(0),
    writer.finish(160n),
  ]);
  expect(await messageOf(speex, WITHOUT_FFMPEG)).toContain("The audio is Speex, which is not read here");
});

test.skipIf(!installed)(
  `MP3 in a film is not taken for an MP3 file without FFmpeg${needsFfmpeg}`,
  async () => {
    for (const muxer of ["mp4", "avi", "matroska"]) {
      const [film] = await made([{ muxer, encoder: "libmp3lame", seconds: 3, isNoisy: true }]);
      expect(await messageOf(film!, WITHOUT_FFMPEG)).toContain("which is not read here");
    }
  },
);
