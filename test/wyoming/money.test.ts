/** Promise: Wyoming requests cost and are limited like requests over HTTP under the same key, and need it to be valid. */
import { afterEach, expect, test } from "bun:test";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { differencesOf } from "../../src/ledger/verify.ts";
import { type Harness, type HarnessOptions, openHarness } from "../harness.ts";
import { holdRecognitions } from "../held-recognitions.ts";
import { until } from "../until.ts";
import { openPeer, serveWyoming } from "./peer.ts";

const hears = installedFamilies().has("sphinx");

let harness: Harness;
afterEach(async () => {
  expect(differencesOf(await harness.parts.ledger.audit())).toEqual([]);
  await harness[Symbol.asyncDispose]();
});

async function speak(port: number, text = "Hi.") {
  await using peer = await openPeer(port);
  peer.send("synthesize", { text });
  const events = await peer.until("audio-stop");
  const { type, data } = events.at(-1)!;
  return type === "error" ? data.code : type;
}

async function open(options: HarnessOptions & { keyId?: string } = {}) {
  harness = await openHarness(options);
  return serveWyoming(harness);
}

test("a prepaid organization pays, and is refused without credit", async () => {
  await using server = await open({ free: true });
  const credit = () => harness.parts.ledger.credit(harness.organizationId);
  const before = await credit();
  expect(await speak(server.port)).toBe("audio-stop");
  expect((await credit()).balanceMicros).toBe(before.balanceMicros - 45);
  harness.clock.pass(31 * 86_400_000);
  expect(await speak(server.port)).toBe("insufficient_credits");
});

test("an unmetered organization needs no credit and is recorded at list price", async () => {
  await using server = await open({ plan: "unmetered", free: true });
  expect(await speak(server.port)).toBe("audio-stop");
  expect(await harness.parts.ledger.credit(harness.organizationId)).toMatchObject({
    balanceMicros: 0,
    monthUsageMicros: 45,
  });
});

test("Wyoming requests and requests over HTTP count towards the same limit", async () => {
  await using server = await open();
  const { requestsPerMinute, ...rest } = { ...LIMITS, requestsPerMinute: 2 };
  await harness.parts.accounts.setLimits(harness.organizationId, { ...rest, requestsPerMinute });
  harness.clock.pass(2000);
  const body = { model: "svc-tts1", voice: "female-warm", input: "Hi.", response_format: "pcm" };
  const response = await harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify(body) });
  expect([response.status, (await response.bytes()).length > 0]).toEqual([200, true]);
  expect(await speak(server.port)).toBe("audio-stop");
  expect(await speak(server.port)).toBe("rate_limit_exceeded");
});

test("an open recording holds a slot until its connection ends", async () => {
  await using server = await open();
  await harness.parts.accounts.setLimits(harness.organizationId, { ...LIMITS, concurrentRequests: 1 });
  harness.clock.pass(2000);
  const first = await openPeer(server.port);
  first.send("synthesize-start");
  first.send("synthesize-chunk", { text: "Hello there. And" });
  await first.until("audio-stop");
  expect(await speak(server.port)).toBe("concurrency_limit_exceeded");
  await first[Symbol.asyncDispose]();
  const statusOf = async () =>
    (await harness.parts.ledger.requests(harness.organizationId, 10)).map((row) => row.status);
  await until(async () => (await statusOf()).includes(499));
  expect(await speak(server.port)).toBe("audio-stop");
});

test("a client that leaves while it waits for a slot waits no longer", async () => {
  await using server = await open({ plan: "unmetered" });
  await harness.parts.accounts.setLimits(harness.organizationId, { ...LIMITS, concurrentRequests: 1 });
  harness.clock.pass(2000);
  await using first = await openPeer(server.port);
  first.send("synthesize-start");
  first.send("synthesize-chunk", { text: "Hello there. And" });
  await first.until("audio-stop");
  const second = await openPeer(server.port);
  second.send("synthesize", { text: "Hi." });
  const { metrics, ledger } = harness.parts;
  await until(() => metrics.counters().loquat_requests_total! >= 2);
  await second[Symbol.asyncDispose]();
  const leftAt = performance.now();
  const isLogged = async () =>
    (await ledger.requests(harness.organizationId, 10)).some((row) => row.status === 499);
  await until(isLogged);
  expect(performance.now() - leftAt).toBeLessThan(2000); // of the 3 seconds that it would wait
});

test.skipIf(!hears)(
  "a client that leaves a transcription pays for what was recognized until then",
  async () => {
    await using server = await open({ free: true });
    const { begun } = holdRecognitions(harness.parts.registry);
    const peer = await openPeer(server.port);
    const format = { rate: 16_000, width: 2, channels: 1 };
    peer.send("transcribe");
    peer.send("audio-start", format);
    peer.send("audio-chunk", format, Buffer.alloc(320_000, "loquat"));
    peer.send("audio-stop");
    const recognition = await begun(1);
    await recognition.recognizes(4);
    await peer.until("transcript-chunk");
    peer.socket.pause(); // what follows is recognized, and not read
    await recognition.recognizes(7);
    await peer[Symbol.asyncDispose]();
    const row = async () => (await harness.parts.ledger.requests(harness.organizationId, 1))[0];
    await until(async () => (await row())?.status === 499);
    expect(await row()).toMatchObject({ costMicros: 700 });
  },
);

test("a request that its client breaks off with a wrong event is recorded with the error", async () => {
  await using server = await open();
  await using peer = await openPeer(server.port);
  peer.send("synthesize-start");
  peer.send("audio-stop");
  await peer.until();
  const rows = () => harness.parts.ledger.requests(harness.organizationId, 1);
  await until(async () => (await rows()).length !== 0);
  expect(await rows()).toMatchObject([{ status: 400, errorCode: "invalid_event" }]);
});

test("a revoked key is refused within a request, and starts no other", async () => {
  await using server = await open();
  const [key] = await harness.parts.accounts.listKeys();
  expect(await speak(server.port)).toBe("audio-stop");
  await harness.parts.accounts.revokeKey(key!.id);
  expect(await speak(server.port)).toBe("api_key_revoked");
  await using again = await serveWyoming(harness, { keyId: key!.id }); // it starts, and says so
  expect(await speak(again.port)).toBe("api_key_revoked");
  expect(harness.logged.map(({ event }) => event)).toContain("wyoming_key_unusable");
});

test("suspending its organization ends the connections of a key at once", async () => {
  harness = await openHarness();
  const { accounts, ledger } = harness.parts;
  const { id } = await accounts.createOrganization("Tenant", { plan: "unmetered" });
  const project = await accounts.defaultProject(id);
  const fields = { projectId: project!.id, name: "a", environment: "live", expiresAt: null } as const;
  const key = await accounts.createKey({ ...fields, scopes: ["speech:create"] });
  await using server = await serveWyoming(harness, { keyId: key.id });
  await using streaming = await openPeer(server.port);
  streaming.send("synthesize-start");
  streaming.send("synthesize-chunk", { text: "Hello there. And" });
  await streaming.until("audio-stop");
  await using idle = await openPeer(server.port);
  idle.send("ping");
  await idle.until("pong");
  await accounts.setStatus(id, "suspended");
  for (const peer of [streaming, idle])
    expect(await peer.until()).toMatchObject([{ type: "error", data: { code: "organization_suspended" } }]);
  const row = async () => (await ledger.requests(id, 1))[0]!;
  await until(async () => (await row()).status !== 200); // until it ends, as charged
  expect(await row()).toMatchObject({ status: 403, errorCode: "organization_suspended", characters: 13 });
});

test("a key without the scope may not speak, and one that does not exist starts no server", async () => {
  harness = await openHarness();
  const [first] = await harness.parts.accounts.listKeys();
  const request = {
    projectId: first!.project_id,
    name: "recorder",
    environment: "live",
    expiresAt: null,
  } as const;
  const { id } = await harness.parts.accounts.createKey({ ...request, scopes: ["transcription:create"] });
  await using server = await serveWyoming(harness, { keyId: id });
  expect(await speak(server.port)).toBe("insufficient_scope");
  await expect(serveWyoming(harness, { keyId: "key_unknown" })).rejects.toThrow(
    "LOQUAT_WYOMING_KEY: there is no key key_unknown.",
  );
});

const LIMITS = {
  requestsPerMinute: 1e6,
  concurrentRequests: 1000,
  ttsCharactersPerMinute: 1e9,
  sttSecondsPerMinute: 1e9,
};
