/** Promise: voices and accounts as ElevenLabs has them are bounded, refused by name, and cost nothing where they are refused. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { form } from "../v1/form.ts";
import { dial } from "../v1/realtime/live.ts";
import { recording, STATEMENT, standIn } from "../v1/voices/stand-in.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
  standIn(harness.parts);
});
afterAll(() => harness[Symbol.asyncDispose]());

const ask = (path: string, init: RequestInit = {}, from = harness) =>
  fetch(from.url + path, { ...init, headers: { "xi-api-key": from.key, ...init.headers } });
const add = (fields: [string, string | Uint8Array][], from = harness) =>
  ask("/v1/voices/add", form(fields), from);
const CONSENT = JSON.stringify({ consent: STATEMENT });

describe("GET /v2/voices", () => {
  test.each(["0", "101", "many", "1.5", ""])("refuses page_size %p by name", async (size) => {
    const refused = await errorOf(await ask(`/v2/voices?page_size=${size}`));
    expect(refused).toMatchObject({ status: 422, code: "validation_error", param: "page_size" });
  });

  test("refuses a token that is no voice of the list, and an order that it does not have", async () => {
    const unknown = await errorOf(await ask("/v2/voices?next_page_token=x"));
    expect(unknown).toMatchObject({ status: 400, code: "invalid_cursor", param: "next_page_token" });
    expect(await errorOf(await ask("/v2/voices?sort=size"))).toMatchObject({ status: 422, param: "sort" });
  });

  test("finds by what voices are, and ignores what they have not", async () => {
    const found = async (query: string) => {
      const body = (await (await ask(`/v2/voices?page_size=100&${query}`)).json()) as {
        voices: { voice_id: string }[];
      };
      return body.voices.map(({ voice_id }) => voice_id);
    };
    expect(await found("language=de&gender=female")).toEqual(["female-crisp"]);
    expect(await found("accent=en-GB")).toEqual(["male-bright"]);
    expect(await found("voice_ids=male-deep&voice_ids=female-warm")).toEqual(["female-warm", "male-deep"]);
    expect(await found("voice_type=community")).toEqual([]);
    expect(await found("category=premade&collection_id=x&fine_tuning_state=draft")).toHaveLength(20);
    expect(await found("search=german")).toEqual(["female-crisp", "male-firm"]);
  });
});

describe("POST /v1/voices/add", () => {
  const file: [string, Uint8Array] = ["files", recording(4)];
  const whole: [string, string | Uint8Array][] = [["name", "Me"], ["labels", CONSENT], file];

  test("refuses a form without a recording or consent, and what it cannot do, without a charge", async () => {
    const before = await harness.parts.ledger.credit(harness.organizationId);
    const refused = [
      [
        [
          ["name", "Me"],
          ["labels", CONSENT],
        ],
        422,
        "files",
      ],
      [[["name", "Me"], ["labels", "null"], file], 422, "labels.consent"],
      [[["name", "Me"], ["labels", "consent"], file], 422, "labels"],
      [[["name", "Me"], ["labels", '{"consent":7}'], file], 422, "labels"],
      [[["labels", CONSENT], file], 422, "name"],
      [[...whole, ["remove_background_noise", "true"]], 400, "remove_background_noise"],
    ] as [[string, string | Uint8Array][], number, string][];
    for (const [fields, status, param] of refused)
      expect(await errorOf(await add(fields))).toMatchObject({ status, param });
    expect(await harness.parts.ledger.credit(harness.organizationId)).toEqual(before);
  });

  test("makes a voice that costs what it does at POST /v1/audio/voices", async () => {
    const { ledger } = harness.parts;
    const cost = async (make: () => Promise<Response>) => {
      const before = await ledger.credit(harness.organizationId);
      expect((await make()).status).toBe(200);
      return before.balanceMicros - (await ledger.credit(harness.organizationId)).balanceMicros;
    };
    const own: [string, string | Uint8Array][] = [
      ["name", "Me"],
      ["consent", STATEMENT],
      ["audio_sample", file[1]],
    ];
    const here = await cost(() => add([...whole, ["remove_background_noise", "false"]]));
    expect(here).toBeGreaterThan(0);
    expect(await cost(() => harness.ask("/v1/audio/voices", form(own)))).toBe(here);
  });

  test("is refused where the operator has switched cloning off, and the account says so", async () => {
    await using off = await openHarness({ environment: { LOQUAT_VOICE_CLONING: "off" } });
    standIn(off.parts);
    expect(await errorOf(await add(whole, off))).toMatchObject({
      status: 403,
      code: "voice_cloning_disabled",
    });
    const can = async (from: Harness) => {
      const answer = await ask("/v1/user/subscription", {}, from);
      return ((await answer.json()) as Record<string, unknown>).can_use_instant_voice_cloning;
    };
    expect([await can(harness), await can(off)]).toEqual([true, false]);
  });
});

test("a subscription tells credit in characters, and no more than the month allows", async () => {
  await using poor = await openHarness({ free: true });
  const { ledger, catalogue } = poor.parts;
  const price = catalogue.entries.find(({ id }) => id === "svc-tts1")!.manifest.price_micros / 1e6;
  const left = async () => {
    const body = await (await ask("/v1/user/subscription", {}, poor)).json();
    const { character_count, character_limit, ...terms } = body as Record<string, number>;
    expect(terms).toMatchObject({ tier: "free", status: "free", voice_slots_used: 0 });
    expect(terms.next_character_count_reset_unix).toBe(Date.UTC(2026, 1) / 1000);
    return character_limit! - character_count!;
  };
  const { balanceMicros } = await ledger.credit(poor.organizationId);
  expect(await left()).toBe(Math.floor(balanceMicros / price));
  await ledger.setMonthlyLimit(poor.organizationId, 1000);
  expect(await left()).toBe(Math.floor(1000 / price));
});

test("a token for one use lacks the scopes of others, makes no other, and has a known type", async () => {
  const make = async (type: string, headers = {}) =>
    ask(`/v1/single-use-token/${type}`, { method: "POST", headers });
  const { token } = (await (await make("tts_websocket")).json()) as { token: string };
  const refused = await errorOf(await ask("/v1/voices", { headers: { "xi-api-key": token } }));
  expect(refused).toMatchObject({ status: 403, code: "insufficient_scope" });
  const { token: other } = (await (await make("batch_scribe")).json()) as { token: string };
  const again = await errorOf(await make("tts_websocket", { "xi-api-key": other }));
  expect(again).toMatchObject({ status: 403, code: "insufficient_scope" });
  expect(await errorOf(await make("toString"))).toMatchObject({ status: 422, param: "token_type" });
});

test("a token of Deepgram's kind opens no realtime session of the server's own API", async () => {
  const headers = { authorization: `Token ${harness.key}` };
  const granted = await fetch(`${harness.url}/v1/auth/grant`, { method: "POST", headers });
  const { access_token } = (await granted.json()) as { access_token: string };
  const client = await dial(harness, { headers: { authorization: `Bearer ${access_token}` } });
  expect(await client.until("error")).toMatchObject({ error: { code: "invalid_api_key" } });
  await client.closed;
  for (const ttl_seconds of [0, 3601, "x"]) {
    const body = JSON.stringify({ ttl_seconds });
    const refused = await fetch(`${harness.url}/v1/auth/grant`, { method: "POST", headers, body });
    expect(await errorOf(refused)).toMatchObject({ status: 422, code: "validation_error" });
  }
});
