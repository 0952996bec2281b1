/** Promise: bytes that are no proper HTTP or WebSocket cost their connection at most: no request is smuggled, and no other one waits. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { type Harness, openHarness } from "../../harness.ts";
import { until } from "../../until.ts";

const QUIET_MS = 700; // after which an open connection is taken to have nothing more to say

const ANSWER_MS = 30_000; // for what must be answered

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ plan: "unmetered" });
});
afterAll(() => harness[Symbol.asyncDispose]());
afterEach(async () => {
  expect((await fetch(`${harness.url}/healthz`)).status).toBe(200);
  expect((await harness.ask("/v1/me")).status).toBe(200);
  expect(harness.logged.filter(({ level }) => level === "error")).toEqual([]);
});

/** What comes back, until the connection ends or nothing more comes. */
function exchange(bytes: string | Buffer, then?: (socket: Socket) => void): Promise<Buffer> {
  const { hostname, port } = new URL(harness.url);
  const answer = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  const socket = connect(Number(port), hostname, () => socket.write(bytes));
  let timer: Timer | null = null;
  const wait = (quietMs = QUIET_MS) => {
    clearTimeout(timer ?? undefined);
    timer = setTimeout(() => socket.destroy(), quietMs);
  };
  socket.on("data", (chunk: Buffer) => {
    if (chunks.length === 0) then?.(socket);
    chunks.push(chunk);
    wait();
  });
  socket.on("error", () => {}); // it was reset, which is an answer too
  socket.on("close", () => {
    clearTimeout(timer ?? undefined);
    answer.resolve(Buffer.concat(chunks));
  });
  wait(then ? ANSWER_MS : QUIET_MS);
  return answer.promise;
}

const statuses = (answer: Buffer): number[] =>
  [...answer.toString("latin1").matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));

const HOST = "Host: localhost\r\n";
/** A second request inside the first one's body, which would be answered with the name of the organization. */
const inner = () => `GET /v1/me HTTP/1.1\r\n${HOST}Authorization: Bearer ${harness.key}\r\n\r\n`;
const post = (headers: string, body: string) =>
  `POST /api/auth/sign-in/email HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n${headers}\r\n${body}`;

describe("a request within another one's body", () => {
  const CASES: Record<string, () => string> = {
    "after Content-Length and Transfer-Encoding": () =>
      post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", `0\r\n\r\n${inner()}`),
    "after Transfer-Encoding and Content-Length": () =>
      post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", `0\r\n\r\n${inner()}`),
    "after two lengths": () => post(`Content-Length: 0\r\nContent-Length: ${inner().length}\r\n`, inner()),
    "after a list of lengths": () => post(`Content-Length: 0, ${inner().length}\r\n`, inner()),
    "after a negative length": () => post("Content-Length: -1\r\n", inner()),
    "after a length in hexadecimal": () => post("Content-Length: 0x0\r\n", inner()),
    "after a length with a sign": () => post("Content-Length: +0\r\n", inner()),
    "after an unknown coding": () => post("Transfer-Encoding: xchunked\r\n", `0\r\n\r\n${inner()}`),
    "after a coding that is not the last": () =>
      post("Transfer-Encoding: chunked, gzip\r\n", `0\r\n\r\n${inner()}`),
    "after a chunk of 2^64 bytes": () =>
      post("Transfer-Encoding: chunked\r\n", `10000000000000000\r\n${inner()}`),
    "after a chunk size with a sign": () => post("Transfer-Encoding: chunked\r\n", `-0\r\n\r\n${inner()}`),
    "after a length with a space before the colon": () =>
      post(`Content-Length : ${inner().length}\r\n`, inner()),
    "after a folded header": () => post("X-A: b\r\n Content-Length: 0\r\n", inner()),
  };

  test.each(Object.keys(CASES))("%s is not answered", async (name) => {
    const answer = await exchange(CASES[name]!());
    expect(statuses(answer).filter((status) => status < 400 || status >= 500)).toEqual([]);
    expect(answer.toString("latin1")).not.toContain(harness.organizationId);
  });
});

describe("a request that is not one", () => {
  const CASES: Record<string, string | Buffer> = {
    "random bytes": randomBytes(4096),
    "the beginning of TLS": Buffer.from("16030100ff010000fb0303", "hex"),
    "the preface of HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "another version": `GET / HTTP/9.9\r\n${HOST}\r\n`,
    "no method": ` / HTTP/1.1\r\n${HOST}\r\n`,
    "a method of 10,000 letters": `${"A".repeat(10_000)} / HTTP/1.1\r\n${HOST}\r\n`,
    "a target with a NUL": `GET /v1/\0me HTTP/1.1\r\n${HOST}\r\n`,
    "a header with a NUL": `GET /v1/me HTTP/1.1\r\n${HOST}X-A: a\0b\r\n\r\n`,
    "a header without a colon": `GET /v1/me HTTP/1.1\r\n${HOST}nonsense\r\n\r\n`,
    "a header of 1 MiB": `GET /v1/me HTTP/1.1\r\n${HOST}X-A: ${"a".repeat(1024 * 1024)}\r\n\r\n`,
    "20,000 headers": `GET /v1/me HTTP/1.1\r\n${HOST}${"X-A: a\r\n".repeat(20_000)}\r\n`,
    "bare line feeds": "GET /v1/me HTTP/1.1\nHost: localhost\n\n",
    "bare carriage returns": "GET /v1/me HTTP/1.1\rHost: localhost\r\r",
    "a target of 100,000 letters": `GET /${"a".repeat(100_000)} HTTP/1.1\r\n${HOST}\r\n`,
    "a foreign absolute target": `GET http://elsewhere.example/v1/me HTTP/1.1\r\n${HOST}\r\n`,
    CONNECT: `CONNECT elsewhere.example:443 HTTP/1.1\r\n${HOST}\r\n`,
  };

  test.each(Object.keys(CASES))("%s is refused or left unanswered", async (name) => {
    const answer = await exchange(CASES[name]!);
    expect(statuses(answer).filter((status) => status < 400 || (status >= 500 && status !== 505))).toEqual(
      [],
    );
    expect(answer.toString("latin1")).not.toContain(harness.organizationId);
  });
});

/** A frame of the protocol, with whatever is wrong about it. */
function frame(first: number, payload: Buffer | string, { masked = true, claim = -1n } = {}): Buffer {
  const bytes = Buffer.from(payload);
  const length = claim >= 0n ? claim : BigInt(bytes.length);
  const mask = masked ? 0x80 : 0;
  const size =
    length < 126n
      ? Buffer.from([mask | Number(length)])
      : Buffer.concat([Buffer.from([mask | 127]), Buffer.alloc(8)]);
  if (size.length > 1) size.writeBigUInt64BE(length, 1);
  return Buffer.concat([Buffer.from([first]), size, masked ? Buffer.alloc(4) : Buffer.alloc(0), bytes]);
}

describe("a frame that is not one", () => {
  const [TEXT, CLOSE, PING] = [0x81, 0x88, 0x89];
  const CASES: Record<string, () => Buffer> = {
    "without a mask": () => frame(TEXT, "{}", { masked: false }),
    "with a reserved bit": () => frame(TEXT | 0x40, "{}"),
    "of an unknown kind": () => frame(0x83, "{}"),
    "of an unknown kind of control": () => frame(0x8b, ""),
    "that claims 2^62 bytes": () => frame(TEXT, "{}", { claim: 1n << 62n }),
    "that claims 2^63 bytes": () => frame(TEXT, "{}", { claim: 1n << 63n }),
    "that is a ping of 200 bytes": () => frame(PING, "a".repeat(200)),
    "that is a fragment of a ping": () => frame(PING & 0x7f, "a"),
    "that continues nothing": () => frame(0x80, "{}"),
    "that is no UTF-8": () => frame(TEXT, Buffer.from([0xff, 0xfe, 0xfd])),
    "that closes with one byte": () => frame(CLOSE, "a"),
    "that closes with a code that none may send": () => frame(CLOSE, Buffer.from([0x03, 0xed])),
    "in 5,000 empty fragments": () =>
      Buffer.concat([frame(0x01, ""), ...Array.from({ length: 5000 }, () => frame(0x00, ""))]),
    "that is nested 10,000 deep": () => frame(TEXT, "[".repeat(10_000)),
    "that is followed by HTTP": () => Buffer.concat([frame(CLOSE, ""), Buffer.from(inner())]),
  };
  const upgrade = (more = "") =>
    `GET /v1/realtime?intent=transcription HTTP/1.1\r\n${HOST}Upgrade: websocket\r\nConnection: Upgrade\r\n` +
    `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${btoa("0123456789abcdef")}\r\n` +
    `Authorization: Bearer ${harness.key}\r\n${more}\r\n`;

  test.each(Object.keys(CASES))("%s ends its own socket at most", async (name) => {
    const answer = await exchange(upgrade(), (socket) => socket.write(CASES[name]!()));
    expect(statuses(answer)).toEqual([101]);
    expect(answer.toString("latin1")).not.toContain(harness.organizationId);
  });

  test("in the same bytes as the upgrade is read after it", async () => {
    const bytes = Buffer.concat([Buffer.from(upgrade()), frame(0x83, "{}")]);
    const answer = await exchange(bytes, () => {});
    expect(statuses(answer)).toEqual([101]);
  });

  test("leaves no slot taken", async () => {
    const { limits } = harness.parts;
    const { organizationId, clock } = harness;
    const isFree = async () =>
      (await limits.decide({ organizationId, now: clock.now(), take: [], slot: { id: "probe", max: 1 } }))
        .refused === null;
    await until(isFree);
    await limits.release(organizationId, "probe");
  });
});
