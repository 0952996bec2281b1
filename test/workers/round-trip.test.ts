/** Promise: each natural English voice is understood: what it says is transcribed within 25 % of its words. */
import { afterAll, expect, test } from "bun:test";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { type Harness, openHarness } from "../harness.ts";
import { plainWordErrors } from "../wer.ts";

const hears = installedFamilies().has("sphinx");
const TEXT = [
  "The old man walked slowly down the street and sat under a large green tree.",
  "She opened the window and looked at the sea for a long time.",
  "There was nothing more to say, so they went home before the rain came.",
];

let harness: Harness | null = null;
afterAll(() => harness?.[Symbol.asyncDispose]());

test.skipIf(!hears).each(["female-warm", "male-deep", "male-bright", "male-classic"])(
  `%s is understood${hears ? "" : " (skipped: libpocketsphinx is not installed)"}`,
  async (voice) => {
    harness ??= await openHarness();
    const body = JSON.stringify({ model: "svc-tts1", voice, input: TEXT.join(" ") });
    const speech = await harness.ask("/v1/audio/speech", { method: "POST", body });
    const form = new FormData();
    form.set("model", "svc-stt1");
    form.set("file", await speech.blob(), "speech.wav");
    const transcript = (await (
      await harness.ask("/v1/audio/transcriptions", { method: "POST", body: form })
    ).json()) as { text: string };
    const { errors, words } = plainWordErrors(TEXT.join(" "), transcript.text);
    expect(errors / words).toBeLessThanOrEqual(0.25);
  },
);
