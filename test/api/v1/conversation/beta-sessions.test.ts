/** Promise: a client of the beta gets a secret for a conversation that begins as the client set it, by the beta's names. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import OpenAI4 from "openai-4";
import { errorOf } from "../../../harness.ts";
import { dial } from "../realtime/live.ts";
import { openTalk, type Talk } from "./talk.ts";

let talk: Talk;
beforeAll(async () => {
  talk = await openTalk();
});
afterAll(() => talk[Symbol.asyncDispose]());

const SESSION = {
  model: "gpt-4o-realtime-preview",
  instructions: "Be kind.",
  modalities: ["text"],
  voice: "alloy",
  temperature: 0.7,
  max_response_output_tokens: 100,
} as const;

const create = (body: object) =>
  talk.ask("/v1/realtime/sessions", { method: "POST", body: JSON.stringify(body) });
const beta = (secret: string, query = "") =>
  dial(talk, { query, headers: { authorization: `Bearer ${secret}`, "openai-beta": "realtime=v1" } });

type Created = { client_secret: { value: string; expires_at: number } };

describe("a secret", () => {
  test("is answered with the settings of its sessions, and with its own time", async () => {
    const response = await create({ ...SESSION, client_secret: { expires_at: { seconds: 60 } } });
    expect(response.status).toBe(200);
    const session = (await response.json()) as object;
    expect(session).toMatchObject({
      ...{ ...SESSION, object: "realtime.session", id: expect.stringMatching(/^sess_/) },
      ...{ input_audio_format: "pcm16", output_audio_format: "pcm16", tools: [], tool_choice: "auto" },
      client_secret: { value: expect.stringMatching(/^ek_/) },
    });
    const { client_secret } = session as Created;
    expect(client_secret.expires_at).toBe(Math.floor(talk.clock.now() / 1000) + 60);
    expect(session).not.toHaveProperty("audio");
  });

  test("opens a conversation with them, whose model reads them", async () => {
    talk.use("echo");
    const { client_secret } = (await (await create(SESSION)).json()) as Created;
    const client = await beta(client_secret.value);
    const { session } = (await client.until("session.created")) as unknown as { session: object };
    expect(session).toMatchObject({ ...SESSION, modalities: ["text"] });
    client.send("response.create");
    await client.until("response.done");
    expect(talk.stub.calls.at(-1)!.body).toMatchObject({ temperature: 0.7, max_tokens: 100 });
    expect(String(talk.stub.calls.at(-1)!.body.messages[0]!.content)).toContain("Be kind.");
    client.close();
  });

  test("without a model is for the default conversation, and with that of an STT model it transcribes", async () => {
    expect(await (await create({})).json()).toMatchObject({
      ...{ model: "gpt-realtime", modalities: ["text", "audio"] },
      client_secret: { value: expect.stringMatching(/^ek_/) },
    });
    expect(await (await create({ model: "svc-stt1" })).json()).toMatchObject({
      ...{ object: "realtime.session", modalities: ["text"] },
      client_secret: { value: expect.stringMatching(/^ek_/) },
    });
  });

  test.each([OpenAI, OpenAI4 as unknown as typeof OpenAI])("is what openai %# asks for", async (Client) => {
    const stock = new Client({ apiKey: talk.key, baseURL: `${talk.url}/v1` });
    const created = await stock.beta.realtime.sessions.create({
      ...{ model: "gpt-4o-realtime-preview", voice: "alloy" },
      client_secret: { expires_after: { anchor: "created_at", seconds: 60 } },
    });
    expect(created.voice).toBe("alloy");
    const client = await beta(created.client_secret.value);
    expect((await client.until("session.created")).session).toMatchObject({ voice: "alloy" });
    client.close();
  });
});

test.each([
  [{ model: "unknown" }, 400, "invalid_model"],
  [{ voice: "unknown" }, 404, "invalid_voice"],
  [{ temperature: 0.5 }, 422, "validation_error"],
  [{ temperature: 1.3 }, 422, "validation_error"],
  [{ client_secret: { expires_at: { seconds: 5 } } }, 422, "validation_error"],
  [{ client_secret: 7 }, 422, "validation_error"],
])("%j is refused", async (body, status, code) => {
  expect(await errorOf(await create(body))).toMatchObject({ status, code });
});
