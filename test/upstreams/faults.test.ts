/** Promise: a server that fails, stalls, lies or is busy costs its caller nothing but time, and never wrong audio. */

import { afterEach, describe, expect, test } from "bun:test";
import { readConfig } from "../../src/config/config.ts";
import type { SynthesisTask } from "../../src/engine/protocol/synthesis.ts";
import { samplesOf } from "../../src/engine/protocol/synthesis.ts";
import { type Claim, soleClaim } from "../../src/engine/runner.ts";
import { presetWith, readPresets } from "../../src/upstreams/definition.ts";
import { openUpstream, type Upstream } from "../../src/upstreams/upstream.ts";
import type { Fallback } from "../../src/upstreams/upstream-runner.ts";
import { takes, until } from "../until.ts";
import { begin, header, openStandIn, type Reply, respond, type StandIn, stream, tone } from "./stand-in.ts";

const presets = readPresets(readConfig({}).models.folder);
const servers: StandIn[] = [];
const upstreams: Upstream[] = [];
afterEach(async () => {
  for (const upstream of upstreams.splice(0)) await upstream[Symbol.asyncDispose]();
  for (const server of servers.splice(0)) server[Symbol.dispose]();
});

type Answer = StandIn["answer"];

function standIn(answer: Answer): StandIn {
  const server = openStandIn(answer);
  servers.push(server);
  return server;
}

type Opening = { preset?: string; flags?: object; fallback?: Fallback; credential?: () => string | null };

const QUICK = { first_byte_ms: 1000, between_bytes_ms: 1000, whole_ms: 5000 };

function open(
  urls: string[],
  { preset = "openai", flags = {}, fallback, credential = () => null }: Opening = {},
) {
  const upstream = openUpstream({
    preset: presetWith(presets, preset, { health: null, timeouts: QUICK, ...flags }),
    urls,
    credential,
  });
  upstreams.push(upstream);
  const runner = upstream.runner("tts-1", fallback ?? null);
  return {
    upstream,
    speak: (claim: Claim = soleClaim(), task: Partial<SynthesisTask> = {}) =>
      runner.run({ ...TASK, ...task }, [], claim).then(samplesOf),
  };
}

const TASK: SynthesisTask = {
  kind: "synthesis",
  text: "Good morning to all of you.",
  speaker: "alloy",
  language: "en-US",
  speed: 1,
  instructions: "",
};

const SECONDS = 0.5;
const LONG = tone(30);
const good: Answer = (_request, reply) => stream(reply, [tone(SECONDS / 2), tone(SECONDS / 2)]);
const seconds = (samples: Float32Array) => samples.length / 24_000;

/** Collects what is delivered before the result. */
function listening(urgency: Claim["urgency"] = "streaming") {
  const early: Float32Array[] = [];
  return { early, claim: { ...soleClaim(), urgency, early: (part: Float32Array) => void early.push(part) } };
}

const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => ({ code: "none", message: "", retryAfterSeconds: null }),
    ({ code, message, retryAfterSeconds }) => ({ code, message, retryAfterSeconds }),
  );

describe("a request is sent again, elsewhere, after", () => {
  const FAULTS: [claim: string, answer: Answer][] = [
    [
      "an error",
      (_request, reply) => respond(reply, 500, { body: '{"error":"cuda: out of memory at 0x7f"}' }),
    ],
    ["a reset", (_request, reply) => reply.reset()],
    ["a stall before its first byte", () => {}],
    ["an empty answer", (_request, reply) => stream(reply, [])],
    ["a blank clip", (_request, reply) => stream(reply, [new Uint8Array(7680)])],
    ["silence", (_request, reply) => stream(reply, [new Uint8Array(96_000)])],
    ["JSON with status 200", (_request, reply) => respond(reply, 200, { body: '{"error":"no"}' })],
    [
      "MP3 in place of PCM",
      (_request, reply) => stream(reply, [new Uint8Array(5000).fill(0xff)], "audio/mpeg"),
    ],
    ["a redirect", (_request, reply) => respond(reply, 302, { location: "http://127.0.0.1:9/" })],
    ["audio far longer than its text", (_request, reply) => stream(reply, [LONG])],
    [
      "a break in the middle of its audio",
      (_request, reply) => {
        begin(reply, [tone(0.4)]);
        reply.end();
      },
    ],
    ["a stall in the middle of its audio", (_request, reply) => begin(reply, [tone(0.4)])],
    ["being busy", (_request, reply) => respond(reply, 429, { "retry-after": "7" })],
  ];

  test.each(FAULTS)("%s", async (_claim, answer) => {
    const bad = standIn(answer);
    const other = standIn(good);
    const { speak, upstream } = open([bad.url, other.url]);
    await upstream.ready;
    const results = await Promise.all(Array.from({ length: 4 }, () => speak()));
    for (const samples of results) expect(seconds(samples)).toBeCloseTo(SECONDS, 1);
    expect(bad.requests.length).toBeGreaterThan(0);
    expect(other.requests.length).toBe(4);
  });
});

describe("nothing is sent again once audio was delivered, after", () => {
  const BREAKS: [claim: string, finish: (reply: Reply) => void][] = [
    ["a break", (reply) => reply.end()],
    ["a reset", (reply) => reply.reset()],
    ["a stall", () => {}],
  ];
  test.each(BREAKS)("%s", async (_claim, finish) => {
    const bad = standIn(async (_request, reply) => {
      begin(reply, [tone(0.4)]);
      await takes(50);
      finish(reply);
    });
    const { speak } = open([bad.url]);
    const { early, claim } = listening();
    const { code, message } = await refused(speak(claim));
    expect(early.length).toBeGreaterThan(0);
    expect(bad.requests).toHaveLength(1);
    expect(code).toBe("inference_unavailable");
    expect(message).not.toContain("127.0.0.1");
  });
});

test("audio is delivered before the answer is complete", async () => {
  const proceed = Promise.withResolvers<void>();
  const server = standIn(async (_request, reply) => {
    begin(reply, [header(24_000, 0xffff_ffff), tone(0.4)], "audio/wav");
    await proceed.promise;
    reply.chunk(tone(0.4));
    reply.send("0\r\n\r\n");
    reply.end();
  });
  const { speak } = open([server.url], { flags: { timeouts: { ...QUICK, between_bytes_ms: 5000 } } });
  const { early, claim } = listening();
  const result = speak({
    ...claim,
    early: (part) => {
      claim.early(part);
      proceed.resolve();
    },
  });
  const rest = await result;
  const total = early.reduce((sum, part) => sum + part.length, 0) + rest.length;
  expect(early.length).toBeGreaterThan(0);
  expect(total / 24_000).toBeCloseTo(0.8, 1);
});

test("a caller that leaves closes the connection", async () => {
  const closed = Promise.withResolvers<void>();
  const server = standIn((_request, reply) => {
    begin(reply, [tone(0.4)]);
    void reply.left.then(closed.resolve);
  });
  const { speak, upstream } = open([server.url], {
    flags: { timeouts: { ...QUICK, between_bytes_ms: 60_000 } },
  });
  const controller = new AbortController();
  const { claim } = listening();
  const result = speak({
    ...claim,
    signal: controller.signal,
    early: () => controller.abort(new Error("left")),
  });
  await expect(result).rejects.toThrow("left");
  await closed.promise;
  expect(upstream.servers()[0]).toMatchObject({ inFlight: 0, failed: 0 });
});

test("a server that finishes what its caller left keeps its place until it is done", async () => {
  const proceed = Promise.withResolvers<void>();
  const server = standIn(async (_request, reply) => {
    begin(reply, [tone(0.4)]);
    await proceed.promise;
    reply.send("0\r\n\r\n");
    reply.end();
  });
  const flags = { cancel: "finishes", timeouts: { ...QUICK, between_bytes_ms: 60_000, whole_ms: 60_000 } };
  const { speak, upstream } = open([server.url], { flags });
  const controller = new AbortController();
  const { claim } = listening();
  const result = speak({
    ...claim,
    signal: controller.signal,
    early: () => controller.abort(new Error("left")),
  });
  await expect(result).rejects.toThrow("left");
  expect(upstream.servers()[0]!.inFlight).toBe(1);
  proceed.resolve();
  await until(() => upstream.servers()[0]!.inFlight === 0);
});

test("a server that takes one request at a time gets one at a time", async () => {
  const server = standIn(async (_request, reply) => {
    await takes(20);
    stream(reply, [header(24_000, 0), tone(SECONDS)], "audio/wav");
  });
  const { speak } = open([server.url], { preset: "chatterbox" });
  await Promise.all(Array.from({ length: 5 }, () => speak()));
  expect(server.most()).toBe(1);
});

test("a server that must not begin two requests at once gets them apart", async () => {
  const begun: number[] = [];
  const server = standIn((_request, reply) => {
    begun.push(performance.now());
    stream(reply, [header(24_000, 0), tone(SECONDS)], "audio/wav");
  });
  const { speak } = open([server.url], { preset: "orpheus", flags: { min_gap_ms: 400 } });
  await Promise.all(Array.from({ length: 3 }, () => speak()));
  expect(begun[1]! - begun[0]!).toBeGreaterThan(200);
  expect(begun[2]! - begun[1]!).toBeGreaterThan(200);
});

test("a busy server is left alone for as long as it asks, and its callers are answered at once", async () => {
  const server = standIn((_request, reply) => respond(reply, 503, { "retry-after": "9" }));
  const { speak, upstream } = open([server.url]);
  expect(await refused(speak())).toMatchObject({ code: "service_unavailable", retryAfterSeconds: 9 });
  expect(await refused(speak())).toMatchObject({ code: "service_unavailable", retryAfterSeconds: 9 });
  expect(server.requests).toHaveLength(1);
  expect(upstream.servers()[0]!.state).toBe("paused");
});

test("a server that fails five times in a row is out, and callers are answered at once", async () => {
  const server = standIn((_request, reply) => reply.reset());
  const { speak, upstream } = open([server.url]);
  for (let i = 0; i < 5; i++) await refused(speak());
  const sent = server.requests.length;
  expect(await refused(speak())).toMatchObject({ code: "service_unavailable", retryAfterSeconds: 30 });
  expect(server.requests).toHaveLength(sent);
  expect(upstream.servers()[0]!.state).toBe("out");
});

test("a refused credential is an error of this server, is not tried again, and reveals nothing", async () => {
  const server = standIn((_request, reply) =>
    respond(reply, 401, { body: '{"error":"key sk-secret is wrong"}' }),
  );
  const { speak } = open([server.url], { credential: () => "sk-secret" });
  const { code, message } = await refused(speak());
  expect(code).toBe("inference_unavailable");
  expect(message).not.toContain("secret");
  expect(server.requests).toHaveLength(1);
  expect(server.requests[0]!.headers).toContain("authorization: bearer sk-secret");
});

test("a request that is rejected is not tried again, and does not count against the server", async () => {
  const server = standIn((_request, reply) => respond(reply, 400, { body: '{"error":"no such voice"}' }));
  const { speak, upstream } = open([server.url]);
  expect(await refused(speak())).toMatchObject({ code: "inference_unavailable" });
  expect(server.requests).toHaveLength(1);
  expect(upstream.servers()[0]).toMatchObject({ state: "up", failed: 0 });
});

test("the fallback speaks where no server could", async () => {
  const server = standIn((_request, reply) => reply.reset());
  const fallback: Fallback = async () => new Float32Array(4800).fill(0.1) as never;
  const { speak } = open([server.url], { fallback });
  expect(await speak()).toHaveLength(4800);
});

test("a sample rate that the header names is converted", async () => {
  const server = standIn((_request, reply) =>
    stream(reply, [header(16_000, 0xffff_ffff), tone(SECONDS, 16_000)], "audio/wav"),
  );
  const { speak } = open([server.url], { preset: "localai" });
  expect(seconds(await speak())).toBeCloseTo(SECONDS, 1);
});

test("a request has only fields that the server understands", async () => {
  const server = standIn(good);
  const { speak } = open([server.url], { preset: "kokoro-fastapi" });
  await speak(soleClaim(), { speed: 1.5, instructions: "Whisper.", language: "en-GB" });
  expect(JSON.parse(server.requests[0]!.body)).toEqual({
    model: "tts-1",
    input: TASK.text,
    voice: "alloy",
    response_format: "pcm",
    speed: 1.5,
    lang_code: "b",
    stream: true,
    normalization_options: { normalize: false },
  });
});
