/** Promise: what cannot become a voice is refused with its own error, and stores and costs nothing. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { errorOf, type Harness, openHarness } from "../../../harness.ts";
import { form } from "../form.ts";
import { recording, type StandIn, standIn, voiceForm } from "./stand-in.ts";

let harness: Harness;
let engine: StandIn;
beforeAll(async () => {
  harness = await openHarness({ environment: { LOQUAT_VOICES_MAX: "2" } });
  engine = standIn(harness.parts);
});
afterAll(() => harness[Symbol.asyncDispose]());

const post = (init: RequestInit) => harness.ask("/v1/audio/voices", init);
const state = async () => {
  const { voices, ledger } = harness.parts;
  const { balanceMicros } = await ledger.credit(harness.organizationId);
  return { count: (await voices.list(harness.organizationId)).length, balanceMicros };
};

const NOISE = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) % 251));
type Fields = Parameters<typeof voiceForm>[0];

describe("a voice is refused", () => {
  const cases: [string, Fields, { status: number; code: string; param: string | null }][] = [
    ["without a name", { name: null }, { status: 422, code: "validation_error", param: "name" }],
    ["with a long name", { name: "x".repeat(101) }, { status: 422, code: "validation_error", param: "name" }],
    ["with lines in its name", { name: "a\nb" }, { status: 422, code: "validation_error", param: "name" }],
    [
      "without a recording",
      { audio_sample: null },
      { status: 422, code: "validation_error", param: "audio_sample" },
    ],
    ["without consent", { consent: null }, { status: 422, code: "validation_error", param: "consent" }],
    ["with a short consent", { consent: "yes" }, { status: 422, code: "validation_error", param: "consent" }],
    [
      "with a long consent",
      { consent: "y".repeat(2001) },
      { status: 422, code: "validation_error", param: "consent" },
    ],
    [
      "with the id of an unknown consent",
      { consent: "cons_1234" },
      { status: 404, code: "invalid_consent", param: "consent" },
    ],
    [
      "of a description",
      { type: "prompt", prompt: "A warm storyteller.", audio_sample: null, consent: null },
      { status: 400, code: "unsupported_parameter", param: "type" },
    ],
    ["of another type", { type: "x" }, { status: 422, code: "validation_error", param: "type" }],
    ["of an unknown model", { model: "nobody" }, { status: 400, code: "invalid_model", param: "model" }],
    ["of a transcriber", { model: "svc-stt1" }, { status: 400, code: "invalid_model", param: "model" }],
    [
      "of a model that cannot",
      { model: "svc-tts2" },
      { status: 400, code: "voice_cloning_not_supported", param: "model" },
    ],
    ["of no audio", { audio_sample: NOISE }, { status: 400, code: "invalid_audio", param: "audio_sample" }],
    [
      "of an empty file",
      { audio_sample: "" as never },
      { status: 422, code: "validation_error", param: "audio_sample" },
    ],
    [
      "of silence",
      { audio_sample: recording(4, { level: 0 }) },
      { status: 400, code: "invalid_audio", param: "audio_sample" },
    ],
    [
      "of a recording that is too short",
      { audio_sample: recording(2.9) },
      { status: 400, code: "audio_too_short", param: "audio_sample" },
    ],
    [
      "of a recording that is too long",
      { audio_sample: recording(31) },
      { status: 400, code: "audio_too_long", param: "audio_sample" },
    ],
    [
      "with a silent consent",
      { consent: recording(3, { level: 0 }) },
      { status: 400, code: "invalid_audio", param: "consent" },
    ],
    [
      "with a file that is too large",
      { audio_sample: Buffer.alloc(10 * 1024 * 1024 + 1) },
      { status: 400, code: "file_too_large", param: "audio_sample" },
    ],
  ];
  test.each(cases)("%s", async (_, fields, expected) => {
    const before = await state();
    const encoded = engine.encoded.length;
    expect(await errorOf(await post(voiceForm(fields)))).toMatchObject(expected);
    expect(engine.encoded.length).toBe(encoded);
    expect(await state()).toEqual(before);
  });

  test("in a body that is no form", async () => {
    for (const init of [
      { method: "POST", body: "x", headers: { "content-type": "text/plain" } },
      form([["name", "Ada"]], { end: "" }),
      form([["name", "x".repeat(70_000)]]),
    ])
      expect(await errorOf(await post(init))).toMatchObject({ status: 422, code: "validation_error" });
  });

  test("where the engine fails, and where its result is no voice", async () => {
    const before = await state();
    engine.fault = new Error("out of memory");
    expect(await errorOf(await post(voiceForm()))).toMatchObject({
      status: 502,
      code: "inference_unavailable",
    });
    engine.fault = null;
    expect(await state()).toEqual(before);
  });

  test("where it cannot be charged", async () => {
    const before = await state();
    const { ledger } = harness.parts;
    const charge = ledger.charge;
    ledger.charge = () => Promise.reject(new Error("no ledger"));
    expect((await post(voiceForm())).status).toBeGreaterThanOrEqual(500);
    ledger.charge = charge;
    expect(await state()).toEqual(before);
  });

  test("of a key without the scope, and where the organization has as many as it may", async () => {
    const { accounts, voices } = harness.parts;
    const project = (await accounts.defaultProject(harness.organizationId))!;
    const key = { projectId: project.id, name: "t", environment: "test", expiresAt: null } as const;
    const { secret } = await accounts.createKey({ ...key, scopes: ["speech:create", "catalog:read"] });
    const init = voiceForm();
    const headers = { ...init.headers, authorization: `Bearer ${secret}` };
    expect(await errorOf(await post({ ...init, headers }))).toMatchObject({ code: "insufficient_scope" });
    const of = { organizationId: harness.organizationId, name: "x", model: "svc-tts1" };
    const made = [await voices.create({ ...of, parts: {} }), await voices.create({ ...of, parts: {} })];
    expect(await errorOf(await post(init))).toMatchObject({ status: 409, code: "too_many_voices" });
    for (const { id } of made) await voices.remove(harness.organizationId, id);
  });
});

test("where no installed engine makes voices, they are refused by name", async () => {
  await using without = await openHarness();
  const error = await errorOf(await without.ask("/v1/audio/voices", voiceForm()));
  expect(error).toMatchObject({ status: 400, code: "voice_cloning_not_supported", param: "model" });
  expect(error.message).toMatch(/"loquat models pull pocket-[\w.-]+"/);
});

test("where the operator has switched cloning off, none is made, spoken with or listed", async () => {
  await using off = await openHarness({ environment: { LOQUAT_VOICE_CLONING: "off" } });
  standIn(off.parts);
  expect(await errorOf(await off.ask("/v1/audio/voices", voiceForm()))).toMatchObject({
    status: 403,
    code: "voice_cloning_disabled",
  });
  const of = { organizationId: off.organizationId, name: "x", model: "svc-tts1", engine: "flite" };
  const { id } = await off.parts.voices.create({ ...of, parts: {} });
  const body = JSON.stringify({ model: "svc-tts1", input: "Hello.", voice: id });
  expect(await errorOf(await off.ask("/v1/audio/speech", { method: "POST", body }))).toMatchObject({
    status: 403,
    code: "voice_cloning_disabled",
  });
  expect(await (await off.ask("/v1/voices")).text()).not.toContain(id);
  expect((await off.ask(`/v1/audio/voices/${id}`, { method: "DELETE" })).status).toBe(200);
});
