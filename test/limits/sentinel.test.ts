/** Promise: a primary that changes during an attempt to connect to it does not end the connection for good. */
import { test } from "bun:test";
import type { Socket } from "bun";
import { Redis } from "ioredis";
import { openRedisLimits } from "../../src/limits/redis.ts";
import { takes, until } from "../until.ts";

const HOST = "127.0.0.1";
const PORT = 6379;
const DATABASE = 12;

const bulk = (...words: string[]) =>
  `*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join("")}`;
const PRIMARY = bulk(HOST, String(PORT));
const CHANGED = bulk("message", "+switch-master", "limits").replace("*", ">"); // RESP3 pushes

/** A sentinel that names the Redis of this machine; to every question but the first it answers late, after the news of a change. */
function openSentinel() {
  const subscribed = new Set<Socket>();
  let asked = 0;

  async function answer(socket: Socket, command: string): Promise<void> {
    if (command.includes("subscribe")) {
      subscribed.add(socket);
      socket.write(">3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n");
    } else if (command.includes("get-master")) {
      if (++asked === 2) {
        for (const one of subscribed) one.write(CHANGED);
        await takes(50);
      }
      socket.write(PRIMARY);
    } else if (command.includes("sentinels")) socket.write("*0\r\n");
    else socket.write("+OK\r\n");
  }

  const server = Bun.listen({
    hostname: HOST,
    port: 0,
    socket: {
      data: (socket, bytes) =>
        bytes
          .toString()
          .toLowerCase()
          .split(/^\*\d+\r\n/mu)
          .slice(1)
          .reduce((before, command) => before.then(() => answer(socket, command)), Promise.resolve()),
      close: (socket) => void subscribed.delete(socket),
    },
  });
  return {
    url: `redis+sentinel://${HOST}:${server.port}/limits/${DATABASE}`,
    asked: () => asked,
    subscribers: () => subscribed.size,
    [Symbol.dispose]: () => server.stop(true),
  };
}

const admin = new Redis(PORT, HOST, { lazyConnect: true, connectTimeout: 1000, retryStrategy: () => null });
const reachable = await admin.connect().then(
  () => true,
  () => false,
);

test.skipIf(!reachable)(
  `a change of the primary during a reconnection is survived${reachable ? "" : " (skipped: no Redis)"}`,
  async () => {
    using sentinel = openSentinel();
    await using store = await openRedisLimits(sentinel.url);
    const decide = async () => store.decide({ organizationId: "org", now: Date.now(), take: [], slot: null });
    await until(async () => (await decide()).refused === null && sentinel.subscribers() > 0);
    const clients = String(await admin.client("LIST")).split("\n");
    const [ours] = clients.filter((line) => line.includes(` db=${DATABASE} `));
    await admin.client("KILL", "ID", /\bid=(\d+)/u.exec(ours!)![1]!);
    await until(() => sentinel.asked() > 1);
    await until(() =>
      decide().then(
        () => true,
        () => false,
      ),
    );
    admin.disconnect();
  },
);
