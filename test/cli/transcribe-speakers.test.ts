/** Promise: the command line names speakers where the packages for it are installed, and says what to install elsewhere. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { conversationOf, voiceOf } from "../../testing/packages/conversation.ts";
import {
  EMBEDDING_OPTIONS,
  embeddingContents,
  segmentationContents,
} from "../../testing/packages/families/speakers.ts";
import { packageOf, storePackage } from "../../testing/packages/model-store.ts";
import { type Cli, openCli } from "./process.ts";

const hears = installedFamilies().has("sphinx");
const SAYINGS = ["good morning", "we are at the old house by the river"];

let cli: Cli;
const path = (name: string) => join(cli.folder, name);
const transcribe = (...args: string[]) =>
  cli.run(["transcribe", path("talk.wav"), ...args], { LOQUAT_WEIGHTS: path("packages") });

beforeAll(async () => {
  cli = openCli();
  const wavs: Uint8Array[] = [];
  for (const [index, saying] of SAYINGS.entries()) {
    await cli.run(["speak", saying, "-o", path(`${index}.wav`), "--voice", "male-deep"]);
    wavs.push(readFileSync(path(`${index}.wav`)));
  }
  writeFileSync(path("talk.wav"), conversationOf(wavs.map((wav, speaker) => ({ wav, speaker }))));
}, 120_000);
afterAll(() => cli[Symbol.dispose]());

describe.skipIf(!hears)(`transcribe --speakers${hears ? "" : " (skipped: PocketSphinx is missing)"}`, () => {
  test("says what to install, and refuses a format that names no speakers", async () => {
    const { code, err } = await transcribe("--speakers");
    expect(code).toBe(1);
    expect(err).toContain("loquat models pull pyannote-segmentation-3.0 wespeaker-resnet34-lm");
    expect((await transcribe("--speakers", "--format", "json")).err).toContain("names no speakers");
    expect((await transcribe("--speakers", "0")).err).toContain("1 to 20");
  }, 120_000);

  test("names who speaks in text, in subtitles and as JSON", async () => {
    const [segmentation, embedding] = [segmentationContents(), embeddingContents()];
    const weights = path("packages");
    storePackage(weights, packageOf("segmentation", "pyannote", { contents: segmentation }), segmentation);
    const options = { options: EMBEDDING_OPTIONS, contents: embedding };
    storePackage(weights, packageOf("embedding", "speaker-embedding", options), embedding);
    expect((await transcribe("--speakers")).out).toBe(`A: ${SAYINGS[0]}\nB: ${SAYINGS[1]}\n`);
    expect((await transcribe("--speakers", "1")).out).toBe(`A: ${SAYINGS.join(" ")}\n`);
    expect((await transcribe("--speakers", "--format", "vtt")).out).toContain(`<v B>${SAYINGS[1]}\n`);
    const { segments } = JSON.parse((await transcribe("--format", "diarized_json")).out);
    expect(segments.map(({ speaker }: { speaker: string }) => speaker)).toEqual(["A", "B"]);
  }, 120_000);

  test("a known speaker is called by name, and a voice that is none is refused", async () => {
    writeFileSync(path("grace.wav"), voiceOf(1, 4));
    writeFileSync(path("short.wav"), voiceOf(1, 0.5));
    const { out } = await transcribe("--speaker", `Grace=${path("grace.wav")}`);
    expect(out).toBe(`A: ${SAYINGS[0]}\nGrace: ${SAYINGS[1]}\n`);
    expect((await transcribe("--speaker", `Grace=${path("short.wav")}`)).err).toContain("1.2 to 10 seconds");
    expect((await transcribe("--speaker", "Grace")).err).toContain("NAME=FILE");
    expect((await transcribe("--speaker", `Grace=${path("nowhere.wav")}`)).err).toContain("does not exist");
  }, 120_000);

  test("keywords that no installed engine prefers are refused", async () => {
    const { code, err } = await transcribe("--keywords", "house, river");
    expect(code).toBe(1);
    expect(err).toContain("cannot prefer keywords");
  }, 120_000);
});
