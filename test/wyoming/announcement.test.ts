/**
 * Promise: a Wyoming port that other machines can reach is announced on the local network, as Home Assistant looks for it,
 * and no other. Skipped on a machine without a network that carries multicast.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createSocket, type Socket } from "node:dgram";
import { isLoopback } from "../../src/wyoming/announcement.ts";
import { type Harness, openHarness } from "../harness.ts";
import { takes, until } from "../until.ts";
import { serveWyoming } from "./peer.ts";

const GROUP = "224.0.0.251";
const PORT = 5353;
const TRY_MS = 100;

const names = (...labels: string[]) =>
  Buffer.concat([
    ...labels.map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);
const TYPE = names("_wyoming", "_tcp", "local");
/** Who offers the service (PTR, IN)? The answer is to come to the asking socket. */
const QUERY = Buffer.concat([
  Buffer.from([0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
  TYPE,
  Buffer.from([0, 12, 0x80, 1]),
]);

/** Priority 0, weight 0, and the port: the data of a service record. */
const locationOf = (port: number) => Buffer.from([0, 0, 0, 0, port >> 8, port & 255]);

const openSocket = (port = 0): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = createSocket({ type: "udp4", reuseAddr: true });
    socket.once("error", reject);
    socket.bind(port, () => resolve(socket));
  });

/** Whether a message to the group arrives on this machine. */
async function carriesMulticast(): Promise<boolean> {
  const probe = Buffer.from("loquat probe");
  try {
    const [member, sender] = [await openSocket(PORT), await openSocket()];
    member.addMembership(GROUP);
    const arrived = new Promise<boolean>((resolve) => {
      member.on("message", (bytes) => bytes.equals(probe) && resolve(true));
      sender.on("error", () => resolve(false));
      setTimeout(() => resolve(false), 1000);
    });
    sender.send(probe, PORT, GROUP);
    const carries = await arrived;
    for (const socket of [member, sender]) socket.close();
    return carries;
  } catch {
    return false;
  }
}

const carries = await carriesMulticast();
const unless = carries ? "" : " (skipped: this machine has no multicast)";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ environment: { HOST: "0.0.0.0" } });
});
afterAll(() => harness[Symbol.asyncDispose]());

test.if(carries)(`a query for Wyoming services is answered with the port${unless}`, async () => {
  await using server = await serveWyoming(harness);
  const asking = await openSocket();
  const answers: Buffer[] = [];
  asking.on("message", (bytes) => answers.push(bytes));
  const isFound = () =>
    answers.some((bytes) => bytes.includes("Loquat on ") && bytes.includes(locationOf(server.port)));
  while (!isFound()) {
    asking.send(QUERY, PORT, GROUP);
    await takes(TRY_MS);
  }
  asking.close();
  expect(harness.logged.map(({ event }) => event)).not.toContain("wyoming_announcement_failed");
});

/** What the server multicasts, in order: it asks whether its name is free, and then announces itself. */
const kindsOf = (packets: Buffer[], port: number) =>
  packets
    .filter((bytes) => bytes.includes(locationOf(port)))
    .map((bytes) => ((bytes[2]! & 0x80) === 0 ? "query" : "announcement"));

test.if(carries)(`the port keeps its name once it was announced${unless}`, async () => {
  const member = await openSocket(PORT);
  member.addMembership(GROUP);
  const packets: Buffer[] = [];
  member.on("message", (bytes, { address }) => address !== "127.0.0.1" && packets.push(bytes));
  await using server = await serveWyoming(harness);
  const kinds = () => kindsOf(packets, server.port);
  await until(() => kinds().filter((kind) => kind === "announcement").length >= 2);
  member.close();
  expect(kinds().slice(kinds().indexOf("announcement"))).toEqual(["announcement", "announcement"]);
});

test.each([
  ["127.0.0.1", true],
  ["127.8.0.1", true],
  ["::1", true],
  ["::ffff:127.0.0.1", true],
  ["0.0.0.0", false],
  ["::", false],
  ["192.168.1.27", false],
])("a port on %s is kept to this machine: %p", (address, isOwn) => {
  expect(isLoopback(address)).toBe(isOwn);
});
