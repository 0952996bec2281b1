/** Promise: a socket that the server has closed is gone soon, however much its client goes on sending. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { type Harness, openHarness } from "../../../harness.ts";
import { takes } from "../../../until.ts";
import { scriptedLive } from "./live.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ services: { live: scriptedLive().live } });
});
afterAll(() => harness[Symbol.asyncDispose]());

/** The runtime itself ends such a connection after 16 seconds. */
const ENDED_BY_MS = 12_000;

const MASKED_FRAME_HEAD = [0x82, 0xfe, 0xff, 0xff, 0, 0, 0, 0]; // binary, 65,535 bytes, a mask of zeros
const FRAME = Buffer.concat([Buffer.from(MASKED_FRAME_HEAD), Buffer.alloc(65_535)]);
const INVALID_EVENT = Buffer.concat([Buffer.from([0x81, 0x82, 0, 0, 0, 0]), Buffer.from("{}")]);

const handshake = (key: string) =>
  [
    "GET /v1/realtime?intent=transcription HTTP/1.1",
    "Host: localhost",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    `Authorization: Bearer ${key}`,
    "\r\n",
  ].join("\r\n");

test.skipIf(process.platform !== "linux").each([
  ["an invalid event", () => harness.key],
  ["an invalid key", () => "sk_live_none"],
])("a client that sends on after %s gets the reason, and loses its connection", async (_why, key) => {
  const socket = connect({ port: Number(new URL(harness.url).port), host: "127.0.0.1", allowHalfOpen: true });
  let received = "";
  let isGone = false;
  const { promise: ended, resolve: hasEnded } = Promise.withResolvers<void>();
  socket.on("data", (bytes) => {
    received += bytes.toString("latin1");
  });
  socket.on("end", hasEnded);
  socket.on("error", () => {
    isGone = true;
    hasEnded();
  });
  socket.write(handshake(key()));
  socket.write(INVALID_EVENT);
  await ended;
  expect(received).toInclude('"type":"error"');
  for (const untilMs = performance.now() + ENDED_BY_MS; !isGone && performance.now() < untilMs; ) {
    if (socket.writableLength < FRAME.length) socket.write(FRAME);
    await takes(10);
  }
  socket.destroy();
  expect(isGone).toBe(true);
});
