/** Promise: an operator opens and closes the port of Wyoming of a running server, which opens it again at its next start. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { openWyomingPort, type WyomingPort } from "../../../src/server/wyoming-port.ts";
import { freePort } from "../../free-port.ts";
import { errorOf } from "../../harness.ts";
import { openPeer, withPeer } from "../../wyoming/peer.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";

let fixture: Fixture;
let operator: Person;
let keyId: string;
beforeAll(async () => {
  fixture = await openFixture();
  operator = await fixture.operator("operator");
  keyId = (await fixture.parts.accounts.listKeys())[0]!.id;
});
afterAll(() => fixture[Symbol.asyncDispose]());

const get = () => operator.get("GET /api/operator/wyoming");
const open = (body: object) => operator.ask("PUT /api/operator/wyoming", body);
const close = () => operator.ask("DELETE /api/operator/wyoming");
const answers = (port: number) =>
  withPeer(port, async (peer) => {
    peer.send("ping");
    return (await peer.next())?.type;
  });

test("it is opened, moved and closed; connections to it end when it is closed", async () => {
  expect(await get()).toEqual({ object: "wyoming", port: null, key_id: null, is_fixed: false });
  const [first, second] = [freePort(), freePort()];
  expect((await open({ port: first, key_id: keyId })).status).toBe(200);
  expect(await answers(first)).toBe("pong");
  expect((await open({ port: second, key_id: keyId })).status).toBe(200);
  expect(await isOpen(first)).toBe(false);
  await using peer = await openPeer(second);
  peer.send("synthesize-start");
  peer.send("ping");
  await peer.until("pong");
  expect((await close()).status).toBe(200);
  expect((await peer.until()).at(-1)).toMatchObject({
    type: "error",
    data: { code: "service_unavailable", text: "An operator has closed this port." },
  });
  expect(await isOpen(second)).toBe(false);
  expect(await get()).toMatchObject({ port: null });
  const { query, tables } = fixture.parts.database;
  const events = await query.select({ type: tables.auditEvent.type }).from(tables.auditEvent);
  expect(events.filter(({ type }) => type === "server.updated")).toHaveLength(3);
});

test("a port or a key that cannot be used is refused, and what was open stays open", async () => {
  const port = freePort();
  await open({ port, key_id: keyId });
  await using other = await listening();
  expect(await errorOf(await open({ port: other.port, key_id: keyId }))).toMatchObject({
    status: 422,
    message: "port is already in use.",
  });
  expect(await errorOf(await open({ port, key_id: "key_unknown" }))).toMatchObject({
    status: 422,
    message: "key_id is not that of a key that works.",
  });
  for (const wrong of [0, 65_536, 1.5]) expect((await open({ port: wrong, key_id: keyId })).status).toBe(422);
  expect(await get()).toMatchObject({ port, key_id: keyId });
  expect(await answers(port)).toBe("pong");
  await close();
});

test("the next start opens it again, and goes on without it where the port is taken by then", async () => {
  const port = freePort();
  await open({ port, key_id: keyId });
  await fixture.parts.wyoming[Symbol.asyncDispose]();
  {
    await using again: WyomingPort = openWyomingPort(fixture.parts);
    await again.listen({});
    expect(again.current()).toEqual({ port, keyId });
    expect(await answers(port)).toBe("pong");
  }
  await using _other = await listening(port);
  await using third = openWyomingPort(fixture.parts);
  await third.listen({});
  expect(third.current()).toBeNull();
  expect(fixture.logged.map(({ event }) => event)).toContain("wyoming_port_unusable");
});

test("what the environment says cannot be changed, and is not kept", async () => {
  const { config, ...parts } = fixture.parts;
  await close();
  await using fixed = openWyomingPort({ ...parts, config: { ...config, wyoming: { port: 0, keyId } } });
  await fixed.listen({});
  expect(fixed.isFixed).toBe(true);
  expect(await answers(fixed.current()!.port)).toBe("pong");
  expect(existsSync(join(config.data.folder, "wyoming.json"))).toBe(false);
});

function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  return new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  }).finally(() => socket.destroy());
}

/** A server on the port; 0: any free one. */
function listening(port = 0): Promise<AsyncDisposable & { port: number }> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () =>
      resolve({
        port: (server.address() as { port: number }).port,
        [Symbol.asyncDispose]: () => new Promise((closed) => server.close(() => closed())),
      }),
    );
  });
}
