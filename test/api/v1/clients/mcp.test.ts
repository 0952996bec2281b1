/** Promise: clients of the Model Context Protocol speak, transcribe and list voices with a key, within its scopes, limits and credit. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { installedFamilies } from "../../../../src/engine/families/installed.ts";
import { errorOf, type Harness, openHarness } from "../../../harness.ts";
import { until } from "../../../until.ts";
import { standIn, voiceForm } from "../voices/stand-in.ts";

setDefaultTimeout(120_000);

const hears = installedFamilies().has("sphinx");

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

/** `mode` auto: by the protocol's version of 2026, where the server has it; legacy: by those of 2025. */
async function connect(key = harness.key, from = harness, mode: "auto" | "legacy" = "legacy") {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${from.url}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

type Content = { type: string; text?: string; data?: string; mimeType?: string };
type Result = { content: Content[]; isError?: boolean; structuredContent?: Record<string, unknown> };

const BUSY = { timeout: 240_000 }; // a busy machine makes minutes of audio in minutes
const use = async (name: string, given: object, client?: Client) => {
  const connected = client ?? (await connect());
  try {
    return (await connected.callTool({ name, arguments: { ...given } }, BUSY)) as Result;
  } finally {
    if (!client) await connected.close();
  }
};
const textOf = ({ content }: Result) => content.find(({ type }) => type === "text")?.text ?? "";
const audioOf = ({ content }: Result) => content.find(({ type }) => type === "audio")!;
const keyWith = async (...scopes: ("speech:create" | "catalog:read")[]) => {
  const { accounts } = harness.parts;
  const projectId = (await accounts.defaultProject(harness.organizationId))!.id;
  const of = { projectId, name: "few", environment: "live", expiresAt: null } as const;
  return (await accounts.createKey({ ...of, scopes })).secret;
};

describe("@modelcontextprotocol/client 2.4", () => {
  test("listTools: finds three tools, each with a schema", async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["speak", "transcribe", "list_voices"]);
    for (const { inputSchema, description } of tools)
      expect([inputSchema.type, description]).toEqual(["object", expect.any(String)]);
    await client.close();
  });

  test("callTool speak: returns audio, and costs what speech costs", async () => {
    const { ledger } = harness.parts;
    const before = await ledger.credit(harness.organizationId);
    const spoken = await use("speak", { text: "Good morning.", voice: "male-deep" });
    expect(spoken.isError).toBeFalsy();
    expect(audioOf(spoken).mimeType).toBe("audio/mpeg");
    expect(Buffer.from(audioOf(spoken).data!, "base64").length).toBeGreaterThan(3000);
    expect(textOf(spoken)).toMatch(/^\d\.\d seconds, spoken by Rowan \(male-deep\)\.$/);
    const { balanceMicros } = await ledger.credit(harness.organizationId);
    const speech = await harness.ask("/v1/audio/speech", {
      method: "POST",
      body: JSON.stringify({ model: "svc-tts1", voice: "male-deep", input: "Good morning." }),
    });
    expect(speech.status).toBe(200);
    const after = await ledger.credit(harness.organizationId);
    expect(before.balanceMicros - balanceMicros).toBe(balanceMicros - after.balanceMicros);
    const row = await until(async () =>
      (await ledger.requests(harness.organizationId, 10)).find(({ endpoint }) => endpoint === "/mcp"),
    );
    expect(row).toMatchObject({ status: 200, characters: 13, model: "svc-tts1", voice: "male-deep" });
  });

  test("callTool speak: speaks a language with one of its voices, in the format that is asked for", async () => {
    const spoken = await use("speak", {
      text: "Guten Morgen.",
      language: "German",
      format: "wav",
      speed: 1.2,
    });
    expect(textOf(spoken)).toContain("female-crisp");
    expect(Buffer.from(audioOf(spoken).data!, "base64").toString("latin1", 0, 4)).toBe("RIFF");
  });

  test.skipIf(!hears)(
    "callTool transcribe: returns what was spoken, with times where they are asked for",
    async () => {
      const { data } = audioOf(await use("speak", { text: "Good morning.", voice: "male-deep" }));
      const told = await use("transcribe", { audio: data!, language: "en", timestamps: true });
      expect(textOf(told)).toBe("good morning");
      expect(told.structuredContent).toMatchObject({
        ...{ text: "good morning", language: "en", duration: expect.any(Number) },
        segments: [{ start: expect.any(Number), end: expect.any(Number), text: "good morning" }],
      });
      const url = await use("transcribe", { audio: `data:audio/mpeg;base64,${data}` });
      expect(textOf(url)).toBe("good morning");
    },
  );

  test("callTool list_voices: lists voices by language, free of charge", async () => {
    const before = await harness.parts.ledger.credit(harness.organizationId);
    const { structuredContent } = await use("list_voices", { language: "de" });
    expect(structuredContent!.voices).toMatchObject([{ id: "female-crisp" }, { id: "male-firm" }]);
    expect(JSON.parse(textOf(await use("list_voices", {}))).voices).toHaveLength(20);
    expect(await harness.parts.ledger.credit(harness.organizationId)).toEqual(before);
  });

  test("connect, callTool: by the protocol's version of 2026 too", async () => {
    const client = await connect(harness.key, harness, "auto");
    expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
    expect(audioOf(await use("speak", { text: "Good morning." }, client)).mimeType).toBe("audio/mpeg");
    await client.close();
  });

  test("connect: a wrong key is refused before anything is read", async () => {
    const failed = await connect("sk_live_unknown").catch((error) => error);
    expect(failed).toBeInstanceOf(Error);
  });
});

describe("a call of a tool that is refused", () => {
  const REFUSED: [string, string, object, RegExp][] = [
    ["an unknown tool", "sing", {}, /There is no tool sing\. Tools: speak, transcribe, list_voices/],
    ["no text", "speak", {}, /text is required.*validation_error/],
    ["too much text", "speak", { text: "a".repeat(4001) }, /text .*4000/],
    [
      "an unknown voice",
      "speak",
      { text: "Hi.", voice: "unknown" },
      /There is no voice unknown.*invalid_voice/,
    ],
    ["an unknown field", "speak", { text: "Hi.", pitch: 2 }, /pitch/],
    ["an address", "transcribe", { audio: "https://example.com/a.wav" }, /addresses are not fetched/],
    ["a field for an address", "transcribe", { url: "https://example.com/a.wav" }, /audio is required/],
    ["no base64", "transcribe", { audio: "****" }, /must be base64/],
    ["base64 of both alphabets", "transcribe", { audio: "ab-/" }, /must be base64/],
    ["no audio", "transcribe", { audio: btoa("nothing to hear") }, /invalid_audio/],
    ["an unknown model", "transcribe", { audio: "AAAA", model: "none" }, /invalid_model/],
  ];
  test.each(REFUSED)("says why of %s, and costs nothing", async (_what, name, given, why) => {
    const before = await harness.parts.ledger.credit(harness.organizationId);
    const result = await use(name, given);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(why);
    expect(await harness.parts.ledger.credit(harness.organizationId)).toEqual(before);
  });

  test("gives back the charge of audio that is too large to be returned", async () => {
    const { ledger } = harness.parts;
    const before = await ledger.credit(harness.organizationId);
    const text = "This sentence is spoken very slowly. ".repeat(18);
    const refused = await use("speak", { text, format: "wav", speed: 0.25 });
    expect(textOf(refused)).toContain("larger than 8 MB as wav");
    const balance = async () => (await ledger.credit(harness.organizationId)).balanceMicros;
    await until(async () => (await balance()) === before.balanceMicros);
  });

  test("says which scope the key lacks", async () => {
    const client = await connect(await keyWith("catalog:read"));
    expect((await use("list_voices", {}, client)).isError).toBeFalsy();
    expect(textOf(await use("speak", { text: "Hi." }, client))).toContain("lacks the scope speech:create");
    expect(textOf(await use("transcribe", { audio: "AAAA" }, client))).toContain("transcription:create");
    await client.close();
  });

  test("speaks with no voice of another organization, and lists none", async () => {
    await using own = await openHarness();
    standIn(own.parts);
    const { id } = (await (await own.ask("/v1/audio/voices", voiceForm())).json()) as { id: string };
    const client = await connect(own.key, own);
    expect(audioOf(await use("speak", { text: "Hi.", voice: id }, client)).mimeType).toBe("audio/mpeg");
    expect(textOf(await use("list_voices", {}, client))).toContain(id);
    await client.close();
    const { accounts } = own.parts;
    const other = await accounts.createOrganization("Other", { plan: "unmetered" });
    const projectId = (await accounts.defaultProject(other.id))!.id;
    const theirs = { projectId, name: "theirs", environment: "live", expiresAt: null } as const;
    const scopes = ["speech:create", "catalog:read"] as const;
    const { secret } = await accounts.createKey({ ...theirs, scopes: [...scopes] });
    const others = await connect(secret, own);
    expect(textOf(await use("speak", { text: "Hi.", voice: id }, others))).toContain("invalid_voice");
    expect(textOf(await use("list_voices", {}, others))).not.toContain(id);
    await others.close();
  });

  test("says that the credit is used up", async () => {
    await using poor = await openHarness({ free: true });
    await poor.parts.ledger.setMonthlyLimit(poor.organizationId, 0);
    const client = await connect(poor.key, poor);
    expect(textOf(await use("speak", { text: "Hi." }, client))).toContain("spending_limit_reached");
    await client.close();
  });
});

describe("POST /mcp", () => {
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${harness.url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${harness.key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };

  test("serves clients of the protocol's versions of 2025 too, without sessions", async () => {
    const initialize = {
      ...{ jsonrpc: "2.0", id: 0, method: "initialize" },
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "old", version: "1" } },
    };
    const opened = await post(initialize);
    expect(opened.headers.get("mcp-session-id")).toBeNull();
    expect(await opened.text()).toContain('"protocolVersion":"2025-06-18"');
    const listed = await post(LIST, { "mcp-protocol-version": "2025-06-18" });
    expect(await listed.text()).toContain('"name":"speak"');
  });

  test("refuses batches, bodies that are too large or no JSON, and other methods", async () => {
    expect(await errorOf(await post([LIST, LIST]))).toMatchObject({ status: 422 });
    expect(await errorOf(await post("{"))).toMatchObject({ status: 422 });
    expect(await errorOf(await post("a".repeat(9_000_000)))).toMatchObject({ status: 422 });
    for (const method of ["GET", "DELETE"]) {
      const headers = { authorization: `Bearer ${harness.key}` };
      const refused = await fetch(`${harness.url}/mcp`, { method, headers });
      expect([refused.status, refused.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    }
  });

  test("keeps no subscription open", async () => {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const params = { _meta: meta, notifications: { toolsListChanged: true } };
    const body = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params };
    const answered = await post(body, { "mcp-protocol-version": "2026-07-28", "mcp-method": body.method });
    expect(await answered.text()).toContain("Subscription limit reached");
  });

  test("is not there where the operator has switched it off", async () => {
    await using off = await openHarness({ environment: { LOQUAT_DIALECTS: "elevenlabs" } });
    const headers = { authorization: `Bearer ${off.key}` };
    expect((await fetch(`${off.url}/mcp`, { method: "POST", headers, body: "{}" })).status).toBe(404);
  });
});
