/**
 * Promise: a client that opens live sockets of Flux or jambonz to do harm is refused as documented, is charged what was
 * transcribed and nothing else, and takes nothing from others.
 */
import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Refusal } from "../../../src/errors.ts";
import type { Scope } from "../../../src/scopes.ts";
import { type Harness, openHarness } from "../../harness.ts";
import { until } from "../../until.ts";
import { SECOND } from "../v1/free.ts";
import { dialSpeech } from "./speech-dial.ts";
import { refusedUpgrade, type Script, scriptedHarness, sentence8k } from "./streamed.ts";

setDefaultTimeout(120_000);

const RATE = 8000;
const FRAME_MAX = 24 * 1024 * 1024;

const scripted = scriptedHarness();
let spoken: Uint8Array;
beforeAll(async () => {
  spoken = await sentence8k(scripted.harness);
});

const silence = new Uint8Array(2 * RATE);
const secondsIn = (...audio: Uint8Array[]) => audio.reduce((sum, { length }) => sum + length, 0) / 2 / RATE;

/** `start`: what comes before audio. `said`: whether a message tells the final text of a turn. `wordBytes`: of its messages. */
type Socket = {
  path: string;
  start: object | null;
  stop: object;
  said(message: Record<string, unknown>): boolean;
  errorCode(code: string): string;
  wordBytes: number;
};

const SOCKETS: [string, Socket][] = [
  [
    "WS /v2/listen (Flux)",
    {
      path: `/v2/listen?model=flux-general-en&encoding=linear16&sample_rate=${RATE}`,
      start: null,
      stop: { type: "CloseStream" },
      said: ({ event }) => event === "EndOfTurn",
      errorCode: (code) => (code === "transcription_failed" ? "INTERNAL_SERVER_ERROR" : code.toUpperCase()),
      wordBytes: 60,
    },
  ],
  [
    "WS /jambonz/transcribe",
    {
      path: "/jambonz/transcribe",
      start: {
        ...{ type: "start", language: "en-US", format: "raw", encoding: "LINEAR16" },
        ...{ interimResults: true, sampleRateHz: RATE, options: {} },
      },
      stop: { type: "stop" },
      said: ({ is_final }) => is_final === true,
      errorCode: (code) => code,
      wordBytes: 5,
    },
  ],
];

const headersOf = (key: string) => ({ authorization: `Bearer ${key}` });

describe.each(SOCKETS)("%s", (_name, { path, start, stop, said, errorCode, wordBytes }) => {
  async function open(scripts: Script[], { harness, key }: { harness?: Harness; key?: string } = {}) {
    const server = harness ?? scripted.harness;
    scripted.script(...scripts);
    const client = await dialSpeech(server, { path, headers: headersOf(key ?? server.key) });
    if (start) client.send(start);
    return client;
  }
  type Client = Awaited<ReturnType<typeof open>>;
  const say = ({ socket }: Client, ...audio: Uint8Array[]) => {
    for (const each of audio) socket.send(each);
  };

  /** Its row of the log, once it has ended. */
  async function charged({ head }: Client, { parts, logged, organizationId }: Harness = scripted.harness) {
    const id = (head["dg-request-id"] ?? head["x-request-id"]) as string;
    await until(() => logged.some((line) => line.event === "request" && line.id === id));
    const row = await until(() => parts.ledger.request(organizationId, id));
    return row.costMicros;
  }

  test("a frame of audio that is too large closes it, and costs nothing", async () => {
    const client = await open([{ rest: "here" }]);
    say(client, new Uint8Array(FRAME_MAX + 1));
    expect((await client.closed()).code).toBeOneOf([1006, 1009]);
    expect(await charged(client)).toBe(0);
  });

  test("a frame of text that is too large is refused, and costs nothing", async () => {
    const client = await open([{ rest: "here" }]);
    client.send(`{"type":"${"x".repeat(20 * 1024 * 1024)}"}`);
    expect((await client.closed()).code).toBe(1008);
    expect(await charged(client)).toBe(0);
  });

  test("a client that sends nothing is let go after an hour, and costs nothing", async () => {
    const client = await open([{ rest: "here" }]);
    await until(() => scripted.harness.parts.activity.openSessions() > 0);
    scripted.harness.clock.pass(3_600_000);
    await client.closed();
    expect(client.told.at(-1)).toMatchObject({ type: expect.stringMatching(/^error$/i) });
    expect(String(client.told.at(-1)!.code)).toBe(errorCode("session_expired"));
    expect(await charged(client)).toBe(0);
  });

  test("a client that reads nothing is let go, and others are heard meanwhile", async () => {
    const words = Math.round(1_000_000 / wordBytes);
    const text = "word ".repeat(words);
    const client = await open([{ interim: text, rest: text }]);
    client.socket.pause();
    const ended = () =>
      scripted.harness.logged.some(
        ({ event, id }) =>
          event === "request" && id === (client.head["dg-request-id"] ?? client.head["x-request-id"]),
      );
    for (let turn = 0; turn < 16; turn++) say(client, spoken, silence);
    await until(ended);
    client.socket.terminate();
    expect(await charged(client)).toBeWithin(0, Math.ceil(16 * secondsIn(spoken, silence) * SECOND) + 1);
    const neighbour = await open([{ rest: "here" }]);
    say(neighbour, spoken);
    neighbour.send(stop);
    expect((await neighbour.closed()).code).toBe(1000);
    expect(neighbour.told.some(said)).toBe(true);
  });

  test("what follows the end is neither read nor charged", async () => {
    const client = await open([{ rest: "here" }]);
    say(client, spoken);
    client.send(stop);
    say(client, spoken);
    client.send("nonsense");
    expect((await client.closed()).code).toBe(1000);
    expect(await charged(client)).toBe(Math.ceil(secondsIn(spoken) * SECOND));
  });

  test("a turn that the engine fails to transcribe is not charged", async () => {
    const failed = new Refusal("transcription_failed", "The transcription engine failed. Try again.");
    const client = await open([{ rest: failed }]);
    say(client, spoken);
    client.send(stop);
    await client.closed();
    expect(client.told.some(({ code }) => code === errorCode("transcription_failed"))).toBe(true);
    expect(await charged(client)).toBeLessThan(Math.ceil(secondsIn(spoken) * SECOND) / 2);
  });

  async function keyWith(...scopes: Scope[]) {
    const { accounts } = scripted.harness.parts;
    const projectId = (await accounts.defaultProject(scripted.harness.organizationId))!.id;
    const made = { name: "a", environment: "live", expiresAt: null, projectId } as const;
    return accounts.createKey({ ...made, scopes });
  }

  test("a key that may not listen is refused the upgrade", async () => {
    const { secret } = await keyWith("speech:create", "transcription:create");
    const answer = await refusedUpgrade(scripted.harness.url + path, headersOf(secret));
    expect(answer).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
  });

  test("a key that is revoked ends its stream, which is charged what was heard", async () => {
    const { id, secret } = await keyWith("realtime:connect");
    const client = await open([{ rest: "here" }], { key: secret });
    say(client, spoken, silence);
    await client.until(said);
    await scripted.harness.parts.accounts.revokeKey(id);
    expect((await client.closed()).code).toBe(1008);
    expect(await charged(client)).toBe(Math.ceil(secondsIn(spoken, silence) * SECOND));
  });

  test("an organization that has used its slots takes none of another's", async () => {
    await using small = await openHarness({ free: true });
    const { accounts } = small.parts;
    const clients = [];
    for (let each = 0; each < 3; each++) clients.push(await open([{ rest: "" }], { harness: small }));
    expect((await clients[2]!.closed()).code).toBe(1013);
    const other = await accounts.createOrganization("Other", { plan: "unmetered" });
    const projectId = (await accounts.defaultProject(other.id))!.id;
    const made = { name: "a", environment: "live", expiresAt: null, projectId } as const;
    const { secret } = await accounts.createKey({ ...made, scopes: ["realtime:connect"] });
    const another = await open([{ rest: "" }], { harness: small, key: secret });
    another.send(stop);
    expect((await another.closed()).code).toBeOneOf([1000, 1008]);
    for (const client of clients) client.close();
  });
});
