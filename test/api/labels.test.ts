/** Promise: what a client calls its request is in the log, found there, and kept by no organization that keeps nothing. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { errorOf } from "../harness.ts";
import { openKeptSocket } from "../kept-socket.ts";
import { until } from "../until.ts";
import { type AdminFixture, openAdminFixture } from "./v1/organization/admin-fixture.ts";
import { dial } from "./v1/realtime/live.ts";

let server: AdminFixture;
let path: string;
beforeAll(async () => {
  server = await openAdminFixture();
  path = `/api/organizations/${server.organizationId}`;
});
afterAll(() => server[Symbol.asyncDispose]());

const SPEECH = { model: "svc-tts1", voice: "female-warm", input: "Good morning." };
const rows = () => server.parts.ledger.requests(server.organizationId, 1000);
async function labelAfter(send: () => Promise<Response>) {
  server.clock.pass(1001); // ids begin with their time, and settings hold for what begins a second later
  const before = (await rows()).length;
  const response = await send();
  await response.arrayBuffer();
  await until(async () => (await rows()).length > before);
  return { label: (await rows())[0]!.label, response };
}
const post = (address: string, body: unknown) =>
  fetch(`${server.url}${address}`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.key}` },
    body: body instanceof FormData ? body : JSON.stringify(body),
  });
const labelled = async (metadata: unknown) =>
  labelAfter(() => post("/v1/audio/speech", { ...SPEECH, metadata }));

function form(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: "svc-stt1", ...fields })) form.append(name, value);
  form.append("file", new Blob(["no audio"]), "a.wav");
  return form;
}

describe("the label of a request", () => {
  test.each([
    [{ label: "chapter 3" }, "chapter 3"],
    [{ label: " a\u0000b\nc\u2028 " }, "abc"],
    [{ label: "é".repeat(3000), other: "x".repeat(3000) }, "é".repeat(64)],
    [{ label: "\n" }, null],
    [{ label: 5 }, null],
    [{ tag: "x" }, null],
    [{}, null],
    ["label", null],
    [null, null],
    [undefined, null],
  ])("in metadata %j is kept as %j", async (metadata, kept) => {
    const { label, response } = await labelled(metadata);
    expect([response.status, label]).toEqual([200, kept]);
    const isIgnored = (response.headers.get("x-ignored-fields") ?? "").includes("metadata");
    expect(isIgnored).toBe(kept === null && metadata !== undefined && metadata !== null);
  });

  test.each(["/v1/audio/transcriptions", "/v1/audio/translations"])(
    "is read from a form to %s",
    async (to) => {
      const whole = form({ metadata: JSON.stringify({ label: "call 7", ticket: "1" }) });
      expect((await labelAfter(() => post(to, whole))).label).toBe("call 7");
      const member = form({ "metadata[label]": "call 8" });
      expect((await labelAfter(() => post(to, member))).label).toBe("call 8");
    },
  );

  test("is that of a job, which shows all of its metadata", async () => {
    const metadata = { label: "book", volume: "2" };
    const job = { ...SPEECH, background: true, metadata };
    let shown: unknown;
    const { label, response } = await labelAfter(async () => {
      const response = await post("/v1/audio/speech", job);
      shown = await response.clone().json();
      return response;
    });
    expect([response.status, label]).toEqual([202, "book"]);
    expect(shown).toMatchObject({ metadata });
    const { response: refused } = await labelAfter(() =>
      post("/v1/audio/speech", { ...job, metadata: { label: "x".repeat(513) } }),
    );
    expect(refused.status).toBe(422);
  });
});

describe("the label of a live session", () => {
  const rowOf = (label: string) => until(async () => (await rows()).find((row) => row.label === label));

  test.each([
    ["its query", "intent=transcription&label=%20call%209", {}, "call 9"],
    ["its query as Deepgram names it", "intent=transcription&tag=call%2010", {}, "call 10"],
    ["its settings, rather than its query", "intent=transcription&label=a", { label: "call 11" }, "call 11"],
  ])("is that of %s", async (_name, query, metadata, label) => {
    const client = await dial(server, { query });
    await client.until("created");
    client.update({ type: "transcription", metadata });
    await client.until("updated");
    client.close();
    expect(await rowOf(label)).toMatchObject({ endpoint: "/v1/realtime", method: "WS" });
  });

  test("is that which its client secret was made with", async () => {
    const session = { type: "transcription", metadata: { label: "call 12" } };
    const response = await post("/v1/realtime/client_secrets", { session });
    const { value } = (await response.json()) as { value: string };
    const client = await dial(server, { headers: { authorization: `Bearer ${value}` } });
    await client.until("created");
    client.close();
    expect(await rowOf("call 12")).toMatchObject({ endpoint: "/v1/realtime" });
  });

  test.each([
    ["/deepgram/v1/listen?encoding=linear16&sample_rate=16000", "call 13"],
    ["/deepgram/v2/listen?model=flux-general-en&encoding=linear16&sample_rate=16000", "call 14"],
    ["/deepgram/v1/speak?encoding=linear16", "call 15"],
  ])("is the tag of WS %s", async (path, label) => {
    const options = { headers: { authorization: `Token ${server.key}` } };
    const address = `${server.url}${path}&tag=${encodeURIComponent(label)}`;
    const { socket, closed } = await openKeptSocket(address, options);
    socket.close();
    await closed;
    expect(await rowOf(label)).toMatchObject({ endpoint: path.split("?")[0], method: "WS" });
  });

  test("is the tag of a request to Deepgram's speech", async () => {
    const path = "/deepgram/v1/speak?tag=call%2016";
    const headers = { authorization: `Token ${server.key}`, "content-type": "application/json" };
    const body = JSON.stringify({ text: "Hello." });
    const response = await fetch(server.url + path, { method: "POST", headers, body });
    expect([response.status, response.headers.get("x-ignored-fields")]).toEqual([200, null]);
    await response.arrayBuffer();
    expect(await rowOf("call 16")).toMatchObject({ endpoint: "/deepgram/v1/speak", method: "POST" });
  });
});

describe("requests", () => {
  test("are found by their label, in the dashboard, with an admin key, and in the file", async () => {
    await labelled({ label: "found" });
    await labelled({ label: "founder" });
    const { data } = await server.owner.get<{ data: object[] }>(`GET ${path}/requests?label=found`);
    expect(data).toMatchObject([{ label: "found" }]);
    expect((await server.adminGet<{ data: object[] }>("GET /requests?label=found&status=200")).data).toEqual(
      data,
    );
    expect((await server.adminGet<{ data: object[] }>("GET /requests?label=found&status=4xx")).data).toEqual(
      [],
    );
    const file = await server.owner.ask(`GET ${path}/requests/export?label=found`);
    expect((await file.text()).trim().split("\n")).toHaveLength(2);
    const others = await server.adminGet<{ data: object[] }>(
      "GET /requests?label=found",
      undefined,
      server.other.adminKey,
    );
    expect(others.data).toEqual([]);
    const long = await server.admin(`GET /requests?label=${"x".repeat(65)}`);
    expect(await errorOf(long)).toMatchObject({ status: 422, code: "validation_error" });
  });

  test("of an organization that keeps nothing have none", async () => {
    await server.owner.get(`PATCH ${path}`, { data_retention: "zero_data_retention" });
    expect((await labelled({ label: "secret" })).label).toBeNull();
    await server.owner.get(`PATCH ${path}`, { data_retention: "none" });
  });
});
