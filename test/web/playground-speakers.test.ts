/** Promise: in a real browser, the playground shows who said what, exports it, and says what an engine cannot do. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { conversationOf } from "../../testing/packages/conversation.ts";
import {
  EMBEDDING_OPTIONS,
  embeddingContents,
  segmentationContents,
} from "../../testing/packages/families/speakers.ts";
import { packageOf, storePackage } from "../../testing/packages/model-store.ts";
import { chromium } from "../chromium.ts";
import { press, savedBy } from "./page-actions.ts";
import { eventually, openPlayground, type Playground, textOf } from "./playground-page.ts";

setDefaultTimeout(120_000);

const ready = chromium !== undefined && installedFamilies().has("sphinx");
const unlessReady = ready ? "" : " (skipped: Chromium or PocketSphinx is not here)";

const folder = mkdtempSync(join(tmpdir(), "loquat-speakers-"));
const recording = join(folder, "talk.wav");
let playground: Playground;

beforeAll(async () => {
  if (!ready) return;
  const weights = join(folder, "weights");
  const [segmentation, embedding] = [segmentationContents(), embeddingContents()];
  storePackage(weights, packageOf("segmentation", "pyannote", { contents: segmentation }), segmentation);
  const options = { options: EMBEDDING_OPTIONS, contents: embedding };
  storePackage(weights, packageOf("embedding", "speaker-embedding", options), embedding);
  playground = await openPlayground([], { weights });
  const sayings = ["good morning", "we are at the old house by the river"];
  const wavs = await Promise.all(
    sayings.map(async (input) => {
      const body = JSON.stringify({ model: "svc-tts1", voice: "male-deep", input });
      const response = await playground.harness.ask("/v1/audio/speech", { method: "POST", body });
      return new Uint8Array(await response.arrayBuffer());
    }),
  );
  writeFileSync(recording, conversationOf(wavs.map((wav, speaker) => ({ wav, speaker }))));
});
afterAll(async () => {
  await playground?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(!ready)(`speakers in the playground${unlessReady}`, () => {
  test("are named beside what they say, and in subtitles; keywords that cannot be preferred are refused", async () => {
    const { page, complaints, close } = await playground.open("?tab=transcribe");
    await page.select("[name=response_format]", "diarized_json");
    const input = (await page.$("[name=file]")) as unknown as { uploadFile(path: string): Promise<void> };
    await input.uploadFile(recording);
    await page.waitForSelector(".transcript .speaker");
    const segments = await page.$$eval(".transcript .segment", (all) =>
      all.map((each) => (each as unknown as { textContent: string }).textContent),
    );
    expect(segments.map((text) => text.replace(/^[\d:.]+/, ""))).toEqual([
      "Agood morning",
      "Bwe are at the old house by the river",
    ]);
    expect(String(await savedBy(page, /^Download as VTT$/))).toContain("<v B>we are at the old house");
    expect(complaints).toEqual([]);
    await page.click("details summary");
    await page.type("[name=keywords]", "house");
    await press(page, /^Transcribe again$/);
    await eventually(page, "#file-status", /cannot prefer keywords/);
    expect(await textOf(page, "#file-status")).toContain("Leave out keywords");
    await close();
  });
});
