/** Promise: a request reaches the API that its address and headers mean, and errors have the shape of that API. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Harness, openHarness } from "../../harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string>) => fetch(harness.url + path, { headers });
const keyed = (): Record<string, Record<string, string>> => ({
  elevenlabs: { "xi-api-key": harness.key },
  deepgram: { authorization: `Token ${harness.key}` },
  openai: { authorization: `Bearer ${harness.key}` },
});

describe("GET /v1/models", () => {
  test("lists models as the API does whose key header is sent", async () => {
    const bodies: Record<string, unknown> = {};
    for (const [name, headers] of Object.entries(keyed()))
      bodies[name] = await (await get("/v1/models", headers)).json();
    const speaking = { model_id: "svc-tts1", can_do_text_to_speech: true };
    expect(bodies.elevenlabs).toContainEqual(expect.objectContaining(speaking));
    expect(bodies.deepgram).toMatchObject({ stt: expect.any(Array), tts: expect.any(Array) });
    expect(bodies.openai).toMatchObject({ object: "list" });
  });

  test("is read below a dialect's name with any key", async () => {
    const { openai = {} } = keyed();
    expect(await (await get("/elevenlabs/v1/models?a=/v1/listen", openai)).json()).toBeArray();
    expect(await (await get("/deepgram/v1/models", openai)).json()).toHaveProperty("stt");
  });
});

describe("errors", () => {
  test("have the shape of the dialect, with the code and the id of the request", async () => {
    const unknown = { elevenlabs: "/v1/text-to-speech/a/b/c/d", deepgram: "/v1/listen/a" };
    const xi = await get(unknown.elevenlabs, {});
    expect(xi.status).toBe(404);
    expect(await xi.json()).toEqual({
      detail: {
        ...{ type: "not_found", code: "not_found", status: "not_found", param: null },
        ...{ message: expect.any(String), request_id: xi.headers.get("x-request-id") },
      },
    });
    const deepgram = await get("/v1/models", { authorization: "Token sk_live_wrong" });
    expect(deepgram.status).toBe(401);
    expect(await deepgram.json()).toEqual({
      ...{ err_code: "INVALID_AUTH", code: "invalid_api_key", err_msg: expect.any(String) },
      request_id: deepgram.headers.get("x-request-id"),
    });
  });

  test("say at the address of a dialect in a browser what they say to programs", async () => {
    const page = await get("/v1/listen", { accept: "text/html" });
    expect(page.headers.get("content-type")).toStartWith("application/json");
  });

  test("may be read by pages of any origin", async () => {
    for (const path of ["/v1/speak/a", "/elevenlabs/v1/nothing"])
      expect((await get(path, {})).headers.get("access-control-allow-origin")).toBe("*");
  });
});

test("a dialect that is switched off is not there, and its key is not read", async () => {
  await using off = await openHarness({ environment: { LOQUAT_DIALECTS: "deepgram" } });
  const ask = (path: string, headers = {}) => fetch(off.url + path, { headers });
  expect((await ask("/v1/text-to-speech/a")).status).toBe(404);
  expect((await ask("/elevenlabs/v1/models", { authorization: `Bearer ${off.key}` })).status).toBe(404);
  const refused = await ask("/v1/models", { "xi-api-key": off.key });
  expect(await refused.json()).toMatchObject({ error: { code: "missing_api_key" } });
  expect((await ask("/v1/models", { authorization: `Token ${off.key}` })).status).toBe(200);
});
