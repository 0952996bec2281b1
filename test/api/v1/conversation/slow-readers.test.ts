/** Promise: a client that reads nothing for a while keeps its conversation, and what was said meanwhile; a server that ends finishes its answer. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "node:net";
import { neverShutDown } from "../../../../src/api/middleware/shutdown.ts";
import { differencesOf } from "../../../../src/ledger/verify.ts";
import { takes, until } from "../../../until.ts";
import type { ServerEvent } from "../realtime/live.ts";
import { keepEvents, testEveryEvent } from "./every-event.ts";
import { expectOrder, openTalk, type Response, said, type Talk, talkTo } from "./talk.ts";

setDefaultTimeout(120_000);

/** A socket whose client stops reading, down to the connection: what it does not read stays with the server. */
async function dialRaw({ url, key }: Talk) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const events: ServerEvent[] = [];
  keepEvents(events);
  let closed: number | null = null;
  let bytes = Buffer.alloc(0);
  const chunks: Buffer[] = [];
  const read = () => {
    bytes = Buffer.concat([bytes, ...chunks.splice(0)]);
    for (let frame = frameOf(bytes); frame !== null; frame = frameOf(bytes)) {
      bytes = bytes.subarray(frame.end);
      if (frame.opcode === 1) events.push(JSON.parse(frame.payload.toString()));
      if (frame.opcode === 8) closed = frame.payload.readUInt16BE(0);
    }
  };
  socket.write(
    [
      "GET /v1/realtime?model=gpt-realtime HTTP/1.1",
      ...["Host: localhost", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
      ...["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", `Authorization: Bearer ${key}`, "\r\n"],
    ].join("\r\n"),
  );
  const head = await new Promise<Buffer>((resolve) => socket.once("data", resolve));
  chunks.push(head.subarray(head.indexOf("\r\n\r\n") + 4));
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("close", () => {
    closed ??= 1006;
  });
  return {
    socket,
    events,
    closed: () => closed,
    send(type: string, fields: object = {}) {
      const payload = Buffer.from(JSON.stringify({ type, ...fields }));
      const length = Buffer.alloc(8);
      length.writeBigUInt64BE(BigInt(payload.length));
      socket.write(Buffer.concat([Buffer.from([0x81, 0xff]), length, Buffer.alloc(4), payload])); // a mask of zeros
    },
    until: (look: () => boolean) =>
      until(() => {
        read();
        return closed !== null || look();
      }, 20),
  };
}

/** The first frame of a server; null: it is not complete. */
function frameOf(bytes: Buffer): { opcode: number; payload: Buffer; end: number } | null {
  if (bytes.length < 10) return null;
  const short = bytes[1]! & 0x7f;
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  const length =
    short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  if (bytes.length < start + length) return null;
  return {
    opcode: bytes[0]! & 0x0f,
    payload: bytes.subarray(start, start + length),
    end: start + length,
  };
}

/** Beside the answer of the conversation: together they are several times what the connection itself can hold. */
const OTHERS = 4;
const STOPPED_MS = 20_000;
const CHARACTER = 15; // micros

test("a reader that stops for 20 seconds is neither closed nor buffered for, and gets the rest", async () => {
  await using talk = await openTalk();
  talk.use("long");
  const client = await dialRaw(talk);
  client.send("response.create");
  for (let other = 0; other < OTHERS; other++)
    client.send("response.create", { response: { conversation: "none", input: [said("go on").item] } });
  await client.until(() => client.events.some(({ type }) => type === "response.output_audio.delta"));
  client.socket.pause();
  const beforeBytes = process.memoryUsage().rss;
  await takes(STOPPED_MS);
  expect(process.memoryUsage().rss - beforeBytes).toBeLessThan(256 * 1024 * 1024);
  client.socket.resume();
  const isDone = ({ type }: ServerEvent) => type === "response.done";
  await client.until(() => client.events.filter(isDone).length === 1 + OTHERS);
  expect(client.closed()).toBeNull();
  for (const { response } of client.events.filter(isDone))
    expect(response).toMatchObject({ status: "completed" });
  expectOrder(client.events);
  client.socket.destroy();
});

test.each(["a", "字"])("long items of %p are sent back to a client that reads slowly", async (letter) => {
  await using talk = await openTalk();
  const client = await dialRaw(talk);
  const texts = { output_modalities: ["text"] };
  client.send("session.update", { session: { type: "realtime", ...texts } });
  await client.until(() => client.events.some(({ type }) => type === "session.updated"));
  client.socket.pause();
  for (let index = 0; index < 4; index++)
    client.send("conversation.item.create", said(letter.repeat(1_000_000)));
  client.send("response.create", { response: { input: [said("go on").item] } });
  await takes(2000);
  client.socket.resume();
  const countOf = (end: string) => client.events.filter(({ type }) => type.endsWith(end)).length;
  await client.until(() => countOf("response.done") === 1);
  expect(client.closed()).toBeNull();
  expect([countOf("conversation.item.added"), countOf("conversation.item.done")]).toEqual([5, 5]);
  expectOrder(client.events);
  client.socket.destroy();
});

test("a server that stops finishes the answer under way, closes with 1001, and has settled its money and its slot", async () => {
  const closing = new AbortController();
  await using talk = await openTalk({
    ...{ plan: "prepaid", free: true, tokens: { firstMs: 50, tokensPerSecond: 20 } },
    shutdown: neverShutDown({ closing: closing.signal }),
  });
  const { parts, organizationId } = talk;
  await parts.accounts.setLimits(organizationId, { concurrentRequests: 1 });
  const client = await talkTo(talk, "model=assistant");
  const text = "one, two, three, four, five, six. And then comes seven, eight, nine, ten";
  client.send("conversation.item.create", said(text));
  client.send("response.create");
  await client.until("output_audio.delta");
  closing.abort();
  expect(client.events.some(({ type }) => type === "response.done")).toBe(false);
  expect(await client.closed).toEqual({ code: 1001, reason: "closing" });
  const { response } = client.events.at(-1) as unknown as { response: Response };
  const spoken = `You said: ${text}.`;
  expect(response).toMatchObject({ status: "completed", output: [{ content: [{ transcript: spoken }] }] });
  expectOrder(client.events);
  const row = await until(async () => {
    const rows = await parts.ledger.requests(organizationId, 10);
    return rows.find(({ characters }) => characters === spoken.length);
  });
  expect(row).toMatchObject({ endpoint: "/v1/realtime", status: 101 });
  const { balanceMicros } = await parts.ledger.credit(organizationId);
  expect(balanceMicros).toBe(5_000_000 - spoken.length * CHARACTER);
  expect(differencesOf(await parts.ledger.audit())).toEqual([]);
  const body = JSON.stringify({ model: "svc-tts1", voice: "male-deep", input: "The slot is free." });
  expect((await talk.ask("/v1/audio/speech", { method: "POST", body })).status).toBe(200);
});

testEveryEvent();
