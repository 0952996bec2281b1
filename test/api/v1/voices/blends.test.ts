/** Promise: voices of an engine that can are blended, in a request or as a saved voice; elsewhere blends are refused by name. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kokoroContents } from "../../../../testing/packages/families/voices.ts";
import { packageOf, storePackage } from "../../../../testing/packages/model-store.ts";
import { errorOf, type Harness, openHarness } from "../../../harness.ts";

const weights = mkdtempSync(join(tmpdir(), "loquat-blends-"));
let harness: Harness;
beforeAll(async () => {
  const contents = kokoroContents();
  await storePackage(weights, packageOf("kokoro-82m", "kokoro", { contents }), contents);
  harness = await openHarness({ environment: { LOQUAT_WEIGHTS: weights, LOQUAT_VOICES_MAX: "2" } });
});
afterAll(async () => {
  await harness[Symbol.asyncDispose]();
  rmSync(weights, { recursive: true, force: true });
});

const ask = (voice: unknown, more: object = {}) =>
  harness.ask("/v1/audio/speech", {
    method: "POST",
    body: JSON.stringify({
      model: "svc-tts1",
      input: "Hello, world.",
      response_format: "pcm",
      voice,
      ...more,
    }),
  });
async function spoken(voice: unknown, more: object = {}): Promise<string> {
  const response = await ask(voice, more);
  expect([voice, response.status]).toEqual([voice, 200]);
  return Bun.hash(await response.arrayBuffer()).toString();
}
const save = (body: object) =>
  harness.ask("/v1/audio/voices", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

describe("a blend", () => {
  test("of a voice with itself is that voice, byte for byte, whole and streamed", async () => {
    for (const more of [{}, { stream: true }, { model: "svc-tts2", stream: true }]) {
      const plain = await spoken("female-warm", more);
      expect(await spoken("female-warm+female-warm", more)).toBe(plain);
      expect(await spoken("female-warm(2)+af_heart(0.3)", more)).toBe(plain);
    }
  });

  test("of two voices is neither of them, and depends on the weights alone", async () => {
    const sounds = await Promise.all(
      ["female-warm", "male-deep", "female-warm+male-deep", "female-warm(3)+male-deep"].map((voice) =>
        spoken(voice),
      ),
    );
    expect(new Set(sounds).size).toBe(4);
    expect(await spoken("female-warm(2)+male-deep(2)")).toBe(sounds[2]!);
    expect(await spoken("af_heart+am_michael")).toBe(sounds[2]!);
  });

  test("is saved as a voice, listed, spoken with and deleted", async () => {
    const before = await harness.parts.ledger.credit(harness.organizationId);
    const saved = await save({ name: "Both", blend: "female-warm(3)+male-deep" });
    const voice = (await saved.json()) as { id: string };
    expect(voice).toMatchObject({ object: "audio.voice", name: "Both", kind: "blend", model: "svc-tts1" });
    expect(voice).toMatchObject({ type: "prompt", prompt: "female-warm(3)+male-deep" });
    expect(await harness.parts.ledger.credit(harness.organizationId)).toEqual(before);
    expect(await spoken({ id: voice.id })).toBe(await spoken("female-warm(3)+male-deep"));
    const list = (await (await harness.ask("/v1/voices")).json()) as {
      data: { id: string; metadata: object }[];
    };
    expect(list.data.find(({ id }) => id === voice.id)).toMatchObject({
      ...{ name: "Both", language: "en" },
      metadata: { models: ["svc-tts1"] },
    });
    expect((await harness.ask(`/v1/audio/voices/${voice.id}`, { method: "DELETE" })).status).toBe(200);
    expect(await errorOf(await ask(voice.id))).toMatchObject({ status: 404, code: "invalid_voice" });
  });

  const refused: [string, string, { status: number; code: string }][] = [
    ["of an unknown voice", "female-warm+nobody", { status: 404, code: "invalid_voice" }],
    ["that is not written well", "female-warm(x)+male-deep", { status: 404, code: "invalid_voice" }],
    ["of nine voices", new Array(9).fill("female-warm").join("+"), { status: 404, code: "invalid_voice" }],
    ["of voices of another engine", "female-warm+male-mellow", { status: 400, code: "voice_not_supported" }],
  ];
  test.each(refused)("%s is refused, in speech and as a voice", async (_, blend, expected) => {
    expect(await errorOf(await ask(blend))).toMatchObject({ ...expected, param: "voice" });
    expect(await errorOf(await save({ name: "x", blend }))).toMatchObject(expected);
    expect(await harness.parts.voices.list(harness.organizationId)).toEqual([]);
  });

  test("that lacks what it must have is not saved", async () => {
    const bad: [object, string][] = [
      [{ blend: "a+b" }, "name"],
      [{ name: "a\nb", blend: "a+b" }, "name"],
      [{ name: "x" }, "blend"],
      [{ name: "x", blend: "female-warm" }, "blend"],
    ];
    for (const [body, param] of bad)
      expect(await errorOf(await save(body))).toMatchObject({ status: 422, code: "validation_error", param });
  });
});

test("without an engine that blends, a blend is refused by name", async () => {
  await using plain = await openHarness();
  const body = JSON.stringify({ model: "svc-tts1", input: "Hello.", voice: "male-classic+female-classic" });
  const error = await errorOf(await plain.ask("/v1/audio/speech", { method: "POST", body }));
  expect(error).toMatchObject({ status: 400, code: "voice_not_supported", param: "voice" });
  expect(error.message).toContain("svc-tts1 does not blend voices");
});
