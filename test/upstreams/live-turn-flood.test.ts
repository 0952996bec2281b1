/** Promise: a server that only sends, whatever it is sent, takes no more of a live turn than its time, and is left soon. */
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { Refusal } from "../../src/errors.ts";
import { takes } from "../until.ts";
import { listen, second, withListeners } from "./with-listeners.ts";

const { upstreamOf } = withListeners();

/** Settings confirmed, then what `send` writes. It answers no end of a connection. */
function openSender(
  send: (write: (event: string, count: number) => void, pause: () => void) => Timer | undefined,
) {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  let timer: Timer | undefined;
  const server = Bun.listen({
    ...{ hostname: "127.0.0.1", port: 0 },
    socket: {
      data(socket, bytes) {
        const key = /sec-websocket-key: (\S+)/i.exec(bytes.toString("latin1"))?.[1];
        if (key === undefined) return;
        const accept = createHash("sha1")
          .update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
          .digest("base64");
        const upgrade = "HTTP/1.1 101 X\r\nupgrade: websocket\r\nconnection: upgrade";
        socket.write(`${upgrade}\r\nsec-websocket-accept: ${accept}\r\n\r\n`);
        const write = (event: string, count: number) => {
          const frame = String.fromCharCode(0x81, event.length) + event;
          socket.write(Buffer.from(frame.repeat(count), "latin1"));
        };
        write('{"type":"session.updated"}', 1);
        timer = send(write, () => socket.pause());
      },
      close: () => leave(),
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    left,
    [Symbol.dispose]() {
      clearInterval(timer);
      server.stop(true);
    },
  };
}

test("a turn fails whose server takes no more audio", async () => {
  using server = openSender((_write, pause) => void pause());
  const { turn, settled } = listen(await upstreamOf(server.url));
  for (let count = 0; count < 300; count++) turn.push(second());
  expect(turn.behindSeconds()).toBeGreaterThan(1);
  expect(((await settled) as Refusal).code).toBe("transcription_failed");
}, 4000); // before a session would be late

test.each([
  ["events that mean nothing", '{"type":"x"}'],
  ["confirmations of its settings", '{"type":"session.updated"}'],
  ["words without a letter", '{"type":"conversation.item.input_audio_transcription.delta","delta":" "}'],
])(
  "a server that sends thousands of %s is faulty, read no more, and left after five turns",
  async (_what, event) => {
    using server = openSender((write) => setInterval(() => write(event, 1000), 1));
    const upstream = await upstreamOf(server.url);
    for (let count = 0; count < 6; count++) {
      const { turn, words, settled } = listen(upstream);
      turn.push(second());
      expect(((await settled) as Refusal).code).toBe(
        count < 5 ? "transcription_failed" : "service_unavailable",
      );
      expect(words).toEqual([]);
    }
    await server.left;
  },
);

test("a server that sends on after its caller has left, and ends no connection, is not read any more", async () => {
  using server = openSender((write) => setInterval(() => write('{"type":"x"}', 1), 10));
  const { turn } = listen(await upstreamOf(server.url));
  turn.push(second());
  await takes(100);
  turn.drop();
  await server.left;
});
