/** Promise: connections are limited in number and time, end cleanly with the server, and a slow or broken client hurts no other. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { closing } from "../../src/engine/runner.ts";
import { openWyomingPort } from "../../src/server/wyoming-port.ts";
import { encodeEvent } from "../../src/wyoming/framing.ts";
import { type Harness, openHarness } from "../harness.ts";
import { until } from "../until.ts";
import { audioOf, openPeer, serveWyoming, typesOf, withPeer } from "./peer.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

const PATIENT = { idleMs: 60_000, nextMs: 60_000, requestMs: 60_000, unreadMs: 60_000 };

test("a port in use is reported by the name of its variable", async () => {
  await using server = await serveWyoming(harness);
  const [key] = await harness.parts.accounts.listKeys();
  const { config } = harness.parts;
  const wyoming = { port: server.port, keyId: key!.id };
  const port = openWyomingPort({ ...harness.parts, config: { ...config, wyoming } });
  await expect(port.listen({})).rejects.toThrow(
    `LOQUAT_WYOMING_PORT ${server.port} on HOST 127.0.0.1 is already in use.`,
  );
});

test("one connection too many is refused with an error, until the request of another ends", async () => {
  await using server = await serveWyoming(harness, { connectionsMax: 1 });
  await using first = await openPeer(server.port);
  first.send("synthesize-start");
  first.send("ping");
  await first.until("pong"); // both are handled
  await using second = await openPeer(server.port);
  expect(await second.until()).toMatchObject([{ type: "error", data: { code: "service_unavailable" } }]);
  first.send("synthesize-stop");
  await first.until("synthesize-stopped");
  await using third = await openPeer(server.port);
  third.send("ping", { text: "x" });
  expect((await third.next())?.type).toBe("pong");
});

test("connections without a request give way to new ones, the oldest first", async () => {
  await using server = await serveWyoming(harness, { connectionsMax: 8 });
  const silent = await Promise.all(Array.from({ length: 3 }, () => openPeer(server.port)));
  await using partial = await openPeer(server.port);
  partial.socket.write('{"type": "ping"');
  for (let caller = 0; caller < 6; caller++)
    await withPeer(server.port, async (peer) => {
      peer.send("ping");
      expect((await peer.next())?.type).toBe("pong");
    });
  expect(await silent[0]!.next()).toBeNull();
  for (const peer of silent) await peer[Symbol.asyncDispose]();
});

test("an idle connection ends in silence; a request that stops in the middle ends with an error", async () => {
  await using server = await serveWyoming(harness, { timeouts: { ...PATIENT, idleMs: 30, nextMs: 30 } });
  await using idle = await openPeer(server.port);
  expect(await idle.until()).toEqual([]);
  await using stuck = await openPeer(server.port);
  stuck.send("synthesize-start");
  expect(await stuck.until()).toMatchObject([{ type: "error", data: { code: "invalid_event" } }]);
  await using slow = await openPeer(server.port);
  slow.socket.write('{"type": "ping"');
  expect(await slow.until()).toEqual([]);
});

test("a request whose events never end is refused in time, however often they arrive", async () => {
  await using server = await serveWyoming(harness, { timeouts: { ...PATIENT, requestMs: 100 } });
  await using endless = await openPeer(server.port);
  endless.send("synthesize-start");
  const sending = setInterval(() => endless.send("synthesize-chunk", { text: "" }), 5);
  expect(await endless.until()).toMatchObject([{ type: "error", data: { code: "invalid_event" } }]);
  clearInterval(sending);
});

test("bytes that are not an event are answered with an error", async () => {
  await using server = await serveWyoming(harness);
  await using peer = await openPeer(server.port);
  peer.send("ping", { text: "before" });
  peer.socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  expect(typesOf(await peer.until())).toEqual(["pong", "error"]);
});

test("a client that reads nothing is cut off, and delays no other", async () => {
  await using server = await serveWyoming(harness, { timeouts: { ...PATIENT, unreadMs: 200 } });
  const deaf = connect(server.port, "127.0.0.1");
  deaf.on("error", () => {});
  deaf.pause();
  const closed = new Promise((resolve) => deaf.once("close", resolve));
  const text = "It was a long story, and he told all of it. ".repeat(170);
  for (let turn = 0; turn < 4; turn++)
    deaf.write(encodeEvent({ type: "synthesize", data: { text }, payload: null }));
  await using other = await openPeer(server.port);
  other.send("synthesize", { text: "Hi." });
  expect(audioOf(await other.until("audio-stop")).length).toBeGreaterThan(0);
  const left = async () =>
    (await harness.parts.ledger.requests(harness.organizationId, 20)).some((row) => row.status === 499);
  await until(left);
  deaf.destroy();
  await closed;
});

test("a client that leaves in the middle of an answer stops its work", async () => {
  await using server = await serveWyoming(harness);
  const peer = await openPeer(server.port);
  peer.send("synthesize", { text: "It was a long story, and he told all of it. ".repeat(150) });
  await peer.next();
  await peer[Symbol.asyncDispose]();
  const { load } = {
    load: () =>
      harness.parts.registry.loads().reduce((sum, { running, waiting }) => sum + running + waiting, 0),
  };
  await until(() => load() === 0);
});

test("a closing server completes the request in flight, and takes no more", async () => {
  const server = await serveWyoming(harness);
  await using idle = await openPeer(server.port);
  await using busy = await openPeer(server.port);
  busy.send("synthesize-start");
  busy.send("synthesize-chunk", { text: "The first. The" });
  await busy.until("audio-stop");
  const closed = server[Symbol.asyncDispose]();
  expect(await idle.until()).toEqual([]);
  busy.send("synthesize-chunk", { text: " second." });
  busy.send("synthesize-stop");
  const rest = typesOf(await busy.until()).filter((type) => type !== "audio-chunk");
  expect(rest).toEqual(["audio-start", "audio-stop", "synthesize-stopped"]);
  await closed;
  const late = connect(server.port, "127.0.0.1");
  await new Promise((resolve) => late.once("error", resolve));
});

test("a request that does not end before the server has to is refused, and logged with 503", async () => {
  const cut = new AbortController();
  const server = await serveWyoming(harness, { cut: cut.signal });
  await using busy = await openPeer(server.port);
  busy.send("synthesize-start");
  busy.send("synthesize-chunk", { text: "The first. The" });
  await busy.until("audio-stop");
  const before = harness.logged.length;
  const closed = server[Symbol.asyncDispose]();
  cut.abort(closing());
  expect((await busy.until()).at(-1)).toMatchObject({ type: "error", data: { code: "service_unavailable" } });
  await closed;
  expect(harness.logged.slice(before).find(({ event }) => event === "request")).toMatchObject({
    status: 503,
    errorCode: "service_unavailable",
  });
});
