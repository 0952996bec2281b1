/**
 * Promise: a request that is refused before its body is read gets its response, and the connection serves the next
 * request.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { openDiscard, readJson } from "../../../../src/api/middleware/body/body.ts";
import { type Harness, openHarness } from "../../../harness.ts";
import { loopTurn } from "../../../until.ts";

const MIB = 1024 * 1024;
const BOUNDARY = "x-boundary";
const FORM = `multipart/form-data; boundary=${BOUNDARY}`;

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ timeouts: { idleMs: 300, totalMs: 30_000 } });
});
afterAll(() => harness[Symbol.asyncDispose]());

type Sent = { path: string; key: string; type: string; sizeBytes: number };

const heading = ({ path, key, type, sizeBytes }: Sent) =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${key}`,
    `Content-Type: ${type}`,
    `Content-Length: ${sizeBytes}`,
    "\r\n",
  ].join("\r\n");

function dial() {
  const socket: Socket = connect(Number(new URL(harness.url).port), "127.0.0.1");
  let received = "";
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("error", () => {});
  socket.on("data", (bytes) => {
    received += bytes.toString();
    tell();
  });
  void closed.then(tell);
  return {
    socket,
    closed,
    /** What was heard once it holds the text, or once nothing more can come. */
    until: (text: string) =>
      new Promise<string>((resolve) => {
        const look = () => {
          if (received.includes(text) || socket.closed) resolve(received);
        };
        listeners.add(look);
        look();
      }),
  };
}

describe("a refused body of 8 MiB", () => {
  const part = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n`;
  const cases: [string, () => Omit<Sent, "sizeBytes"> & { body: Buffer; status: number }][] = [
    [
      "without a valid key",
      () => ({
        path: "/v1/audio/transcriptions",
        key: "sk_live_nobodys",
        type: FORM,
        body: Buffer.alloc(8 * MIB),
        status: 401,
      }),
    ],
    [
      "of JSON",
      () => ({
        path: "/v1/audio/speech",
        key: harness.key,
        type: "application/json",
        body: Buffer.alloc(8 * MIB, " "),
        status: 422,
      }),
    ],
    [
      "of too many parts",
      () => ({
        path: "/v1/audio/transcriptions",
        key: harness.key,
        type: FORM,
        body: Buffer.alloc(8 * MIB, part),
        status: 422,
      }),
    ],
    [
      "to no route",
      () => ({
        path: "/v1/nothing",
        key: harness.key,
        type: FORM,
        body: Buffer.alloc(8 * MIB),
        status: 404,
      }),
    ],
  ];
  test.each(cases)("%s is answered, and its connection stays usable", async (_, sentOf) => {
    const { body, status, ...sent } = sentOf();
    const { socket, until } = dial();
    socket.write(heading({ ...sent, sizeBytes: body.length }));
    socket.write(body);
    expect(await until("request_id")).toStartWith(`HTTP/1.1 ${status} `);
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(await until("HTTP/1.1 200 ")).toContain("HTTP/1.1 200 ");
    socket.destroy();
  });
});

describe("a refused small body", () => {
  const disposition = "Content-Disposition: form-data; name=";
  const form = [
    `--${BOUNDARY}\r\n${disposition}"model"\r\n\r\nsvc-stt1\r\n`,
    `--${BOUNDARY}\r\n${disposition}"file"; filename="a.mp3"\r\n\r\nnot audio\r\n--${BOUNDARY}--\r\n`,
  ].join("");
  test.each([
    ["/v1/audio/speech", "application/json", '{"input":"Go on.","model":"none","voice":"female-warm"}', 400],
    ["/v1/audio/speech", "application/json", "{", 422],
    ["/v1/audio/transcriptions", FORM, form, 400],
  ])("to %s (%s) leaves its connection usable", async (path, type, body, status) => {
    const { socket, until } = dial();
    socket.write(heading({ path, key: harness.key, type, sizeBytes: body.length }));
    socket.write(body);
    expect(await until("request_id")).toStartWith(`HTTP/1.1 ${status} `);
    socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(await until("HTTP/1.1 200 ")).toContain("HTTP/1.1 200 ");
    socket.destroy();
  });
});

test("that stops arriving is answered, and its connection closed", async () => {
  const { socket, until, closed } = dial();
  const key = "sk_live_nobodys";
  socket.write(heading({ path: "/v1/audio/speech", key, type: "application/json", sizeBytes: 8 * MIB }));
  socket.write(Buffer.alloc(MIB));
  expect(await until("request_id")).toStartWith("HTTP/1.1 401 ");
  await closed;
});

test.each(["/v1/audio/speech", "/mcp", "/v1/text-to-speech/female-warm", "/v1/speak", "/jambonz/synthesize"])(
  "a small body to %s that stops arriving is refused, and its connection closed",
  async (path) => {
    const { socket, until, closed } = dial();
    const { key } = harness;
    socket.write(heading({ path, key, type: "application/json", sizeBytes: 100 }));
    socket.write("{");
    const answer = await until("did not arrive in time");
    expect(answer).toMatch(/^HTTP\/1\.1 4(00|22) /);
    expect(answer).toContain("did not arrive in time");
    await closed;
  },
);

test("a body that is announced as small is read without a stream, which would allocate 320 KiB", async () => {
  const body = '{"input":"Go on."}';
  const headers = { "content-type": "application/json", "content-length": String(body.length) };
  const request = new Request("http://localhost", { method: "POST", body, headers });
  Object.defineProperty(request, "body", {
    get: () => {
      throw new Error("a stream was asked for");
    },
  });
  expect(await readJson(request, { idleMs: 30_000, totalMs: 30_000 })).toEqual({ input: "Go on." });
});

test.each([
  ["GET", "/healthz", "Content-Length: 99999999", "200"],
  ["GET", "/healthz", "Transfer-Encoding: chunked", "200"],
  ["OPTIONS", "/v1/models", "Content-Length: 99999999", "204"],
  ["GET", "/nowhere", "Content-Length: 99999999", "404"],
])("%s %s with a body (%s) is answered, and the body is not received", async (method, path, body, status) => {
  const { socket, until, closed } = dial();
  socket.write(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${body}\r\n\r\n`);
  expect(await until("x-request-id")).toStartWith(`HTTP/1.1 ${status} `);
  await closed;
});

test("a refused body is read no faster than its pace", async () => {
  const turns: (() => void)[] = [];
  const pace = () => new Promise<void>((resolve) => turns.push(resolve));
  let made = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (made++ < 5) controller.enqueue(new Uint8Array(10));
      else controller.close();
    },
  });
  const discard = openDiscard({ idleMs: 30_000, totalMs: 30_000 }, pace);
  const isWhole = discard(new Request("http://localhost", { method: "POST", body }));
  await loopTurn();
  for (let taken = 1; taken <= 5; taken++) {
    expect(turns.length).toBe(1);
    expect(made).toBeLessThanOrEqual(taken + 1); // one is kept ready by the stream
    turns.pop()!();
    await loopTurn();
  }
  expect(await isWhole).toBe(true);
});

describe("a compressed body", () => {
  const sent = async (path: string, encoding: string) => {
    const type = path.endsWith("transcriptions") ? FORM : "application/json";
    const body = Bun.gzipSync(new TextEncoder().encode(JSON.stringify({ model: "svc-tts1" })));
    const response = await harness.ask(path, {
      method: "POST",
      headers: { "content-encoding": encoding, "content-type": type },
      body,
    });
    return {
      status: response.status,
      error: ((await response.json()) as { error: Record<string, string> }).error,
    };
  };

  test.each(["/v1/audio/speech", "/v1/audio/transcriptions", "/v1/realtime/client_secrets"])(
    "is refused by its name at %s",
    async (path) => {
      for (const encoding of ["gzip", "br", "GZIP, deflate"]) {
        const { status, error } = await sent(path, encoding);
        expect([status, error.code]).toEqual([415, "unsupported_content_encoding"]);
        expect(error.message).toContain(`Content-Encoding: ${encoding.toLowerCase()}.`);
      }
    },
  );

  test("may be called identity where it is not", async () => {
    expect((await sent("/v1/audio/speech", "identity")).status).toBe(422);
  });
});
