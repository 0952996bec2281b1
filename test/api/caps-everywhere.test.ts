/** Promise: what restricts a key holds wherever the key is taken: in /v1, in every dialect, over MCP and Wyoming, in live sessions. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { differencesOf } from "../../src/ledger/verify.ts";
import type { NewRestrictions } from "../../src/restrictions.ts";
import { pcmWav } from "../audio/pcm-wav.ts";
import { type Harness, openHarness } from "../harness.ts";
import { openPeer, type ServedWyoming, serveWyoming } from "../wyoming/peer.ts";
import { askAs } from "./dialects/asking.ts";
import { form } from "./v1/form.ts";
import { dial } from "./v1/realtime/live.ts";

setDefaultTimeout(120_000);

let harness: Harness;
let wyoming: ServedWyoming;
let keyId: string;
beforeAll(async () => {
  harness = await openHarness({ plan: "unmetered" });
  keyId = (await harness.parts.accounts.listKeys())[0]!.id;
  wyoming = await serveWyoming(harness);
});
afterAll(async () => {
  await wyoming[Symbol.asyncDispose]();
  await harness[Symbol.asyncDispose]();
});
afterEach(async () => expect(differencesOf(await harness.parts.ledger.audit())).toEqual([]));

const TEXT = "Hello there.";
const heard = form([
  ["model", "svc-stt1"],
  ["file", pcmWav(1)],
]);
const bearer = () => ({ authorization: `Bearer ${harness.key}` });
const post = async (path: string, init: RequestInit) => {
  const response = await fetch(harness.url + path, { method: "POST", ...init });
  return response.ok ? "served" : await response.text();
};
const asked = async (response: Promise<Response>) =>
  (await response).ok ? "served" : (await response).text();
async function live(headers: Record<string, string>): Promise<string> {
  const client = await dial(harness, { headers });
  const told = await Promise.race([
    client.until("created").then(() => "served"),
    client.ended().then((end) => JSON.stringify(end)),
  ]);
  client.close();
  return told;
}

/** Each asks, and says what it was answered, or that it was served. */
const SURFACES: Record<string, () => Promise<string>> = {
  "/v1/audio/speech": () =>
    post("/v1/audio/speech", {
      headers: bearer(),
      body: JSON.stringify({ model: "svc-tts1", voice: "female-warm", input: TEXT }),
    }),
  "/v1/audio/transcriptions": () =>
    post("/v1/audio/transcriptions", { ...heard, headers: { ...heard.headers, ...bearer() } }),
  "ElevenLabs, speech": () =>
    asked(
      askAs("elevenlabs", harness)("/v1/text-to-speech/female-warm", { text: TEXT, model_id: "svc-tts1" }),
    ),
  "Deepgram, speech": () => asked(askAs("deepgram", harness)("/v1/speak?model=female-warm", { text: TEXT })),
  "Deepgram, a file": () =>
    post("/v1/listen?model=svc-stt1", {
      headers: { authorization: `Token ${harness.key}`, "content-type": "audio/wav" },
      body: pcmWav(1),
    }),
  jambonz: () =>
    asked(
      askAs("jambonz", harness)("/jambonz/synthesize", {
        ...{ vendor: "custom:loquat", language: "en-US", type: "text", text: TEXT, voice: "female-warm" },
      }),
    ),
  "the Model Context Protocol": async () => {
    const client = new Client({ name: "test", version: "1" });
    const init = { requestInit: { headers: bearer() } };
    const transport = new StreamableHTTPClientTransport(new URL(`${harness.url}/mcp`), init);
    const refused = await client.connect(transport).then(() => null, String);
    if (refused !== null) return refused;
    const told = await client.callTool({ name: "speak", arguments: { text: TEXT } });
    await client.close();
    return told.isError ? JSON.stringify(told.content) : "served";
  },
  Wyoming: async () => {
    await using peer = await openPeer(wyoming.port);
    peer.send("synthesize", { text: TEXT });
    const { type, data } = (await peer.until("audio-stop")).at(-1)!;
    return type === "error" ? JSON.stringify(data) : "served";
  },
  "a live session": () => live(bearer()),
  "a client secret": async () => {
    await restrict(null);
    const minted = await harness.ask("/v1/realtime/client_secrets", { method: "POST", body: "{}" });
    const { value } = (await minted.json()) as { value: string };
    await restrict(restricted);
    return live({ authorization: `Bearer ${value}` });
  },
};

let restricted: NewRestrictions | null = null;
async function restrict(restrictions: NewRestrictions | null): Promise<void> {
  await harness.parts.accounts.updateKey(keyId, { restrictions });
  harness.clock.pass(1001);
}
const used = async () => (await harness.parts.ledger.totals(harness.organizationId)).costMicros;

describe.each(Object.keys(SURFACES))("%s", (name) => {
  const ask = async (restrictions: NewRestrictions | null) => {
    restricted = restrictions;
    await restrict(restrictions);
    return SURFACES[name]!();
  };

  test("serves a key that is not restricted", async () => {
    expect(await ask(null)).toBe("served");
  });

  test.each<[what: string, restrictions: NewRestrictions, says: RegExp]>([
    [
      "whose budget is used",
      { budget: { limit_micros: 0, interval: "day" } },
      /This key has used its budget of today/,
    ],
    ["at another address", { addresses: ["203.0.113.0/24"] }, /This key may not be used at 127\.0\.0\.1/],
    ["for other models", { models: { mode: "allow_list", ids: ["svc-none"] } }, /allowed for this key/],
  ])("refuses a key %s, and charges nothing", async (_, restrictions, says) => {
    const before = await used();
    expect(await ask(restrictions)).toMatch(says);
    expect(await used()).toBe(before);
  });

  test("serves a key within what restricts it", async () => {
    const budget = { limit_micros: 1_000_000, interval: "day" } as const;
    const models = { mode: "allow_list", ids: ["svc-tts1", "svc-stt1"] } as const;
    expect(
      await ask({ budget, models: { ...models, ids: [...models.ids] }, addresses: ["127.0.0.0/8", "::1"] }),
    ).toBe("served");
  });
});

/** Without a voice each speaks with its first, which the list leaves out. */
const UNNAMED: Record<string, () => Promise<string>> = {
  "Deepgram, speech": () => asked(askAs("deepgram", harness)("/v1/speak", { text: TEXT })),
  "the Model Context Protocol": SURFACES["the Model Context Protocol"]!,
  Wyoming: SURFACES.Wyoming!,
};

test.each(Object.keys(UNNAMED))("%s speaks with the first voice that the key may use", async (name) => {
  await restrict({ voices: { mode: "allow_list", ids: ["male-deep"] } });
  expect(await UNNAMED[name]!()).toBe("served");
  await restrict({ voices: { mode: "allow_list", ids: ["no-such-voice"] } });
  const before = await used();
  expect(await UNNAMED[name]!()).toMatch(/allowed for this key|no voice/i);
  expect(await used()).toBe(before);
});
