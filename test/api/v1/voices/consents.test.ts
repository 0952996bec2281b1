/** Promise: OpenAI's flow of a consent and a voice works with its stock clients; consents outlive voices and cost nothing. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import OpenAI4 from "openai-4";
import OpenAI6 from "openai-6";
import { errorOf, type Harness, openHarness } from "../../../harness.ts";
import { type Field, form } from "../form.ts";
import { CLONING_MODEL, recording, standIn, voiceForm } from "./stand-in.ts";

let harness: Harness;
let client: OpenAI;
beforeAll(async () => {
  harness = await openHarness({ environment: { LOQUAT_VOICES_MAX: "5" } });
  standIn(harness.parts);
  client = new OpenAI({ apiKey: harness.key, baseURL: `${harness.url}/v1` });
});
afterAll(() => harness[Symbol.asyncDispose]());

const wav = (seconds: number, name = "a.wav") => toFile(recording(seconds), name, { type: "audio/wav" });
const balance = async () => (await harness.parts.ledger.credit(harness.organizationId)).balanceMicros;
const consent = async (name = "Ada") =>
  client.audio.voiceConsents.create({ name, language: "en-US", recording: await wav(2) });
async function clear(): Promise<void> {
  for await (const { id } of client.audio.voiceConsents.list()) await client.audio.voiceConsents.delete(id);
}

describe("with OpenAI's SDK", () => {
  test("a consent is made, shown, renamed, listed and deleted, and costs nothing", async () => {
    const before = await balance();
    const made = await consent();
    expect(made).toEqual({
      id: expect.stringMatching(/^cons_[0-9a-z]{24}$/),
      object: "audio.voice_consent",
      ...{ name: "Ada", language: "en-US", created_at: Math.floor(harness.clock.now() / 1000) },
    });
    expect(await client.audio.voiceConsents.retrieve(made.id)).toEqual(made);
    const renamed = await client.audio.voiceConsents.update(made.id, { name: "Ada L." });
    expect(renamed).toEqual({ ...made, name: "Ada L." });
    expect((await client.audio.voiceConsents.list()).data).toEqual([renamed]);
    expect(await client.audio.voiceConsents.delete(made.id)).toEqual({
      ...{ id: made.id, object: "audio.voice_consent", deleted: true },
    });
    const gone = client.audio.voiceConsents.delete(made.id);
    expect(await gone.catch((error) => error)).toMatchObject({ status: 404, code: "invalid_consent" });
    expect(await balance()).toBe(before);
  });

  test("a list is read page by page, the newest first", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) {
      harness.clock.pass(1);
      ids.unshift((await consent()).id);
    }
    const read: string[] = [];
    for await (const { id } of client.audio.voiceConsents.list({ limit: 2 })) read.push(id);
    expect(read).toEqual(ids);
    const page = await client.audio.voiceConsents.list({ limit: 2, after: ids[1]! });
    expect([page.data.map(({ id }) => id), page.has_more]).toEqual([ids.slice(2, 4), true]);
    expect(await errorOf(await harness.ask("/v1/audio/voice_consents", await consentForm()))).toMatchObject({
      ...{ status: 409, code: "too_many_consents" },
    });
    await clear();
  });

  test("voices are made with one consent, which outlives them; they keep a copy of it", async () => {
    const { id } = await consent();
    const make = async (name: string) =>
      client.audio.voices.create({ name, audio_sample: await wav(4), consent: id, type: "audio_sample" });
    const [first, second] = [await make("one"), await make("two")];
    expect(first).toMatchObject({ object: "audio.voice", type: "audio_sample", kind: "recording" } as object);
    expect(first).toMatchObject({ consent: "recording", consent_id: id } as object);
    const speech = { model: CLONING_MODEL, voice: { id: first.id }, input: "Hello." } as const;
    expect((await client.audio.speech.create(speech)).status).toBe(200);
    expect(await client.audio.voices.delete(first.id)).toEqual({
      ...{ id: first.id, object: "audio.voice.deleted", deleted: true },
    });
    const twice = await client.audio.voices.delete(first.id).catch((error) => error);
    expect(twice).toMatchObject({ status: 404, code: "invalid_voice" });
    expect((await client.audio.voiceConsents.retrieve(id)).id).toBe(id);
    const heard = await harness.ask(`/v1/audio/voice_consents/${id}/recording`);
    await client.audio.voiceConsents.delete(id);
    const copy = await harness.ask(`/v1/audio/voices/${second.id}/consent`);
    const bytes = Buffer.from(await copy.arrayBuffer());
    expect(bytes.length).toBe(44 + 2 * 2 * 24_000);
    expect(bytes.equals(Buffer.from(await heard.arrayBuffer()))).toBe(true);
    expect(await make("three").catch((error) => error)).toMatchObject({
      ...{ status: 404, code: "invalid_consent", param: "consent" },
    });
    await client.audio.voices.delete(second.id);
  });

  test("a voice of a description is refused by name", async () => {
    const asked = client.audio.voices.create({ type: "prompt", name: "x", prompt: "A warm storyteller." });
    expect(await asked.catch((error) => error)).toMatchObject({
      code: "unsupported_parameter",
      param: "type",
    });
    const json = { method: "POST", headers: { "content-type": "application/json" } };
    const body = JSON.stringify({ type: "prompt", name: "x", prompt: "A warm storyteller." });
    const error = await errorOf(await harness.ask("/v1/audio/voices", { ...json, body }));
    expect(error).toMatchObject({ status: 400, code: "unsupported_parameter", param: "type" });
  });

  test.each<
    [string, new (options: { apiKey: string; baseURL: string }) => Pick<OpenAI4, "get" | "post" | "delete">]
  >([
    ["6", OpenAI6 as never],
    ["4", OpenAI4],
  ])("version %s, which has no such methods, reaches the routes by its own", async (_, Client) => {
    const old = new Client({ apiKey: harness.key, baseURL: `${harness.url}/v1` });
    const { id } = await consent();
    const named = await old.post(`/audio/voice_consents/${id}`, { body: { name: "Old" } });
    expect(named).toMatchObject({ id, name: "Old" });
    expect(await old.get("/audio/voice_consents")).toMatchObject({ object: "list", has_more: false });
    expect(await old.delete(`/audio/voice_consents/${id}`)).toMatchObject({ deleted: true });
  });
});

type Fields = Record<string, string | Uint8Array | null>;
async function consentForm(fields: Fields = {}) {
  const whole: Fields = { name: "Ada", language: "en", recording: recording(2), ...fields };
  return form(
    Object.entries(whole).flatMap(([name, value]): Field[] => (value === null ? [] : [[name, value]])),
  );
}

describe("a consent is refused", () => {
  const invalid = (param: string) => ({ status: 422, code: "validation_error", param });
  test.each<[string, Fields, object]>([
    ["without a name", { name: null }, invalid("name")],
    ["with lines in its name", { name: "a\nb" }, invalid("name")],
    ["with a long name", { name: "x".repeat(101) }, invalid("name")],
    ["without a language", { language: null }, invalid("language")],
    ["with what is no language", { language: "<en>" }, invalid("language")],
    ["without a recording", { recording: null }, invalid("recording")],
    ["of no audio", { recording: Buffer.alloc(5000, 7) }, { code: "invalid_audio", param: "recording" }],
    [
      "of silence",
      { recording: recording(3, { level: 0 }) },
      { status: 400, code: "invalid_audio", param: "recording" },
    ],
    ["that is too short", { recording: recording(0.9) }, { code: "audio_too_short", param: "recording" }],
    ["that is too long", { recording: recording(31) }, { code: "audio_too_long", param: "recording" }],
    [
      "that is too large",
      { recording: Buffer.alloc(10 * 1024 * 1024 + 1) },
      { status: 400, code: "file_too_large", param: "recording" },
    ],
  ])("%s", async (_, fields, expected) => {
    const before = await balance();
    const refused = await errorOf(await harness.ask("/v1/audio/voice_consents", await consentForm(fields)));
    expect(refused).toMatchObject(expected);
    expect((await client.audio.voiceConsents.list()).data).toEqual([]);
    expect(await balance()).toBe(before);
  });

  test("in a body that is no form", async () => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    expect(await errorOf(await harness.ask("/v1/audio/voice_consents", init))).toMatchObject({
      ...{ status: 422, code: "validation_error" },
    });
  });

  test.each([
    "limit=0",
    "limit=101",
    "limit=x",
    "limit=1.5",
    "after=x",
    "after=voice_000000000000000000000000",
  ])("in a list with %s", async (query) => {
    const error = await errorOf(await harness.ask(`/v1/audio/voice_consents?${query}`));
    expect(error).toMatchObject(invalid(query.split("=")[0]!));
  });

  test("when its name is cleared", async () => {
    const { id } = await consent();
    for (const body of ["{}", '{"name":""}', '{"name":" "}', '{"name":7}'])
      expect(
        await errorOf(
          await harness.ask(`/v1/audio/voice_consents/${id}`, {
            ...{ method: "POST", headers: { "content-type": "application/json" }, body },
          }),
        ),
      ).toMatchObject(invalid("name"));
    await clear();
  });

  test("by its id to another organization, which cannot make a voice with it", async () => {
    const { id } = await consent();
    const { accounts } = harness.parts;
    const { id: organizationId } = await accounts.createOrganization("Others", { plan: "unmetered" });
    const project = (await accounts.defaultProject(organizationId))!;
    const key = { projectId: project.id, name: "t", environment: "live", expiresAt: null } as const;
    const { secret } = await accounts.createKey({ ...key, scopes: ["voice:create"] });
    const init = voiceForm({ consent: id });
    const headers = { ...init.headers, authorization: `Bearer ${secret}` };
    const error = await errorOf(await harness.ask("/v1/audio/voices", { ...init, headers }));
    expect(error).toMatchObject({ status: 404, code: "invalid_consent" });
    await clear();
  });
});

test("a consent whose answer was lost is made once", async () => {
  const init = await consentForm();
  const send = async (headers: Record<string, string>) =>
    (await (
      await harness.ask("/v1/audio/voice_consents", { ...init, headers: { ...init.headers, ...headers } })
    ).json()) as { id: string };
  const key = { "idempotency-key": "consent-17" };
  expect((await send(key)).id).toBe((await send(key)).id);
  const first = await send({ "x-stainless-retry-count": "0" });
  expect((await send({ "x-stainless-retry-count": "1" })).id).toBe(first.id);
  expect((await client.audio.voiceConsents.list()).data.length).toBe(2);
  await clear();
});
