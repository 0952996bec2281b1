/** Promise: a recording becomes a voice with which its organization alone speaks, until it is deleted. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { errorOf, type Harness, openHarness } from "../../../harness.ts";
import { CLONING_MODEL, recording, STATEMENT, type StandIn, standIn, voiceForm } from "./stand-in.ts";

let harness: Harness;
let engine: StandIn;
let theirs: Record<string, string>;

beforeAll(async () => {
  harness = await openHarness({ environment: { LOQUAT_VOICES_MAX: "3" } });
  engine = standIn(harness.parts);
  const { accounts, ledger } = harness.parts;
  const other = await accounts.createOrganization("Other");
  await ledger.setMonthlyLimit(other.id, null);
  const project = (await accounts.defaultProject(other.id))!;
  const { secret } = await accounts.createKey({
    ...{ projectId: project.id, name: "theirs", environment: "live", expiresAt: null },
    scopes: ["speech:create", "catalog:read", "voice:create"],
  });
  await ledger.grant({
    ...{ id: "grant_other", organizationId: other.id, kind: "adjustment", amountMicros: 1e9 },
    ...{ createdAt: 0, expiresAt: null, topUpId: null },
  });
  theirs = { authorization: `Bearer ${secret}` };
});
afterAll(() => harness[Symbol.asyncDispose]());

type Voice = { id: string; object: string; name: string; consent: string; duration_seconds: number };

async function make(fields: Parameters<typeof voiceForm>[0] = {}): Promise<Voice> {
  const response = await harness.ask("/v1/audio/voices", voiceForm(fields));
  expect(response.status).toBe(200);
  return (await response.json()) as Voice;
}

const remove = (id: string, headers: Record<string, string> = {}) =>
  harness.ask(`/v1/audio/voices/${id}`, { method: "DELETE", headers });

const speak = (fields: object, headers: Record<string, string> = {}) =>
  harness.ask("/v1/audio/speech", {
    method: "POST",
    headers,
    body: JSON.stringify({ model: CLONING_MODEL, input: "Hello there.", response_format: "pcm", ...fields }),
  });

/** The loudest sample of a clip of 16 bits. */
const loudest = async (response: Response) => {
  const samples = new Int16Array(await response.arrayBuffer());
  return samples.reduce((most, value) => Math.max(most, value), 0) / 32_768;
};

const idsIn = async (path: string, headers: Record<string, string> = {}) => {
  const body = (await (await harness.ask(path, { headers })).json()) as Record<string, (string | Voice)[]>;
  return (body.data ?? body.voices)!.map((voice) => (typeof voice === "string" ? voice : voice.id));
};

describe("a voice of one's own", () => {
  test("is spoken with by OpenAI's own client, which names it in an object", async () => {
    const voice = await make({ audio_sample: recording(4, { level: 0.6 }) });
    const client = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: harness.key, maxRetries: 0 });
    const request = { model: CLONING_MODEL, input: "Hello there.", response_format: "pcm" } as const;
    const response = await client.audio.speech.create({ ...request, voice: { id: voice.id } });
    expect(await loudest(response)).toBeCloseTo(0.3, 2);
    await remove(voice.id);
  });

  test("is made of a recording, and speaks whole, streamed and as events", async () => {
    const voice = await make({ audio_sample: recording(4, { level: 0.8 }) });
    expect(voice).toMatchObject({
      object: "audio.voice",
      name: "Ada",
      consent: "statement",
      duration_seconds: 4,
    });
    expect(engine.encoded.at(-1)!.length).toBe(4 * 24_000);
    expect(await loudest(await speak({ voice: voice.id }))).toBeCloseTo(0.4, 2);
    expect(await loudest(await speak({ voice: { id: voice.id }, stream: true }))).toBeCloseTo(0.4, 2);
    const events = await (await speak({ voice: voice.id, stream_format: "sse" })).text();
    expect(events).toContain("event: speech.audio.done");
    expect(engine.spoken.at(-1)!.style!.shape).toEqual([1, 2]);
    await remove(voice.id);
  });

  test("of a recording that is cut short says what is missing", async () => {
    const cut = recording(8).subarray(0, 5 * 48_000);
    const response = await harness.ask("/v1/audio/voices", voiceForm({ audio_sample: cut }));
    expect(response.headers.get("x-audio-warnings")).toMatch(/^audio_sample: The file ends early: .* 8\.0/);
    await remove(((await response.json()) as Voice).id);
  });

  test("is shown, heard and listed to its organization alone", async () => {
    const voice = await make({ name: "Grace" });
    expect(await (await harness.ask(`/v1/audio/voices/${voice.id}`)).json()).toEqual(voice);
    const returned = await harness.ask(`/v1/audio/voices/${voice.id}/recording`);
    expect(Buffer.compare(Buffer.from(await returned.arrayBuffer()), recording(4))).toBe(0);
    expect(await (await harness.ask(`/v1/audio/voices/${voice.id}/consent`)).text()).toBe(STATEMENT);
    const lists = [
      "/v1/voices",
      "/v1/voices?model=svc-tts1",
      "/v1/audio/voices",
      "/v1/audio/voices?legacy=true",
    ];
    for (const path of lists) {
      expect(await idsIn(path)).toContain(voice.id);
      expect(await idsIn(path, theirs)).not.toContain(voice.id);
    }
    for (const path of ["", "/recording", "/consent"])
      expect(
        await errorOf(await harness.ask(`/v1/audio/voices/${voice.id}${path}`, { headers: theirs })),
      ).toMatchObject({ status: 404, code: "invalid_voice" });
    expect(await errorOf(await remove(voice.id, theirs))).toMatchObject({ status: 404 });
    const [foreign, none] = await Promise.all([
      errorOf(await speak({ voice: voice.id }, theirs)),
      errorOf(await speak({ voice: "voice_000000000000000000000000" }, theirs)),
    ]);
    const plain = (error: { message: string; request_id: string }) => ({
      ...error,
      message: error.message.replace(/voice_\w+/, "ID"),
      request_id: "",
    });
    expect(plain(foreign)).toEqual(plain(none));
    expect(foreign).toMatchObject({ status: 404, code: "invalid_voice", param: "voice" });
    await remove(voice.id);
  });

  test("may have a recorded consent, which is kept", async () => {
    const voice = await make({ consent: recording(2, { sampleRate: 16_000 }) });
    expect(voice.consent).toBe("recording");
    const kept = await harness.ask(`/v1/audio/voices/${voice.id}/consent`);
    expect(kept.headers.get("content-type")).toBe("audio/wav");
    expect((await kept.arrayBuffer()).byteLength).toBe(44 + 2 * 2 * 24_000);
    await remove(voice.id);
  });

  test("costs the seconds of its recording at the price of its model", async () => {
    const { ledger } = harness.parts;
    const before = await ledger.credit(harness.organizationId);
    const voice = await make();
    const after = await ledger.credit(harness.organizationId);
    expect(before.balanceMicros - after.balanceMicros).toBe(4 * 15);
    await remove(voice.id);
  });

  test("once deleted is unknown at once, while a stream that had begun is spoken to its end", async () => {
    const voice = await make();
    const input = "One sentence is here. Another one follows it. A third one ends it.";
    const stream = await speak({ voice: voice.id, stream: true, input });
    expect(await (await remove(voice.id)).json()).toEqual({
      id: voice.id,
      object: "audio.voice.deleted",
      deleted: true,
    });
    expect(await errorOf(await speak({ voice: voice.id }))).toMatchObject({
      status: 404,
      code: "invalid_voice",
    });
    expect((await stream.arrayBuffer()).byteLength).toBeGreaterThan(0);
    expect(await errorOf(await remove(voice.id))).toMatchObject({ status: 404, code: "invalid_voice" });
  });

  test("is refused by name by a model that cannot speak with it", async () => {
    const voice = await make();
    const error = await errorOf(await speak({ voice: voice.id, model: "svc-tts2" }));
    expect(error).toMatchObject({ status: 400, code: "voice_not_supported", param: "voice" });
    expect(error.message).toContain("svc-tts2 does not speak with recorded voices");
    await remove(voice.id);
  });

  test("is encoded again for an engine that has not encoded it", async () => {
    const { voices } = harness.parts;
    const parts = { recording: recording(3, { level: 0.6 }) };
    const of = { organizationId: harness.organizationId, name: "Old", model: "svc-tts1", engine: "former" };
    const { id } = await voices.create({ ...of, durationMs: 3000, consent: "statement", parts });
    const count = engine.encoded.length;
    for (let time = 0; time < 2; time++)
      expect(await loudest(await speak({ voice: id }))).toBeCloseTo(0.3, 2);
    expect(engine.encoded.length).toBe(count + 1);
    await remove(id);
  });
});
