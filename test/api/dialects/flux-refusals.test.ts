/** Promise: what a stream of Deepgram's Flux cannot be, or cannot read, is refused as its clients expect, and charged nothing. */
import { beforeAll, describe, expect, test } from "bun:test";
import { request as httpRequest } from "node:http";
import { until } from "../../until.ts";
import { SECOND } from "../v1/free.ts";
import { dialStream, RATE, refusedUpgrade, type Script, scriptedHarness, speech } from "./streamed.ts";

const scripted = scriptedHarness();
let spoken: Uint8Array;
beforeAll(async () => {
  spoken = await speech(scripted.harness);
});

const RAW = `model=flux-general-en&encoding=linear16&sample_rate=${RATE}`;
const token = () => ({ authorization: `Token ${scripted.harness.key}` });

function listen(query: string, ...heard: Script[]) {
  scripted.script(...heard);
  return dialStream(scripted.harness, { path: `/v2/listen?${query}`, headers: token() });
}

async function charged(id: string) {
  const { ledger } = scripted.harness.parts;
  return until(async () => {
    const row = (await ledger.requests(scripted.harness.organizationId, 50)).find((each) => each.id === id);
    const hasEnded = scripted.harness.logged.some((line) => line.event === "request" && line.id === id);
    return row && hasEnded ? row : null;
  });
}

describe("an upgrade is refused, in Deepgram's shape, for", () => {
  type Case = [name: string, query: string, status: number, code: string, named: string];
  const cases: Case[] = [
    ["an encoding that is not read", "encoding=opus&sample_rate=48000", 400, "unsupported_parameter", "opus"],
    ["no rate", "encoding=linear16", 422, "validation_error", "sample_rate"],
    ["a rate that G.711 has not", "encoding=mulaw&sample_rate=16000", 400, "invalid_audio", "8000"],
    ["what would change the text", `${RAW}&redact=numbers`, 400, "unsupported_parameter", "redact"],
    ["a filter", `${RAW}&profanity_filter=true`, 400, "unsupported_parameter", "profanity_filter"],
    ["a language of /v1/listen", `${RAW}&language=de`, 400, "unsupported_parameter", "language_hint"],
    ["a hint in English", `${RAW}&language_hint=es`, 400, "unsupported_parameter", "language_hint"],
    ["an unknown model", "model=no-such-model", 400, "invalid_model", "no-such-model"],
    ["a threshold that is none", `${RAW}&eot_threshold=high`, 422, "validation_error", "eot_threshold"],
    ["a threshold out of range", `${RAW}&eot_threshold=0.2`, 422, "validation_error", "eot_threshold"],
    ["an eager one out of range", `${RAW}&eager_eot_threshold=1`, 422, "validation_error", "eager_eot"],
    ["an eager one above it", `${RAW}&eager_eot_threshold=0.8`, 422, "validation_error", "eager_eot"],
    ["a silence out of range", `${RAW}&eot_timeout_ms=10`, 422, "validation_error", "eot_timeout_ms"],
  ];
  test.each(cases)("%s", async (_name, query, status, code, named) => {
    const answer = await refusedUpgrade(`${scripted.harness.url}/v2/listen?${query}`, token());
    expect(answer).toMatchObject({ status, body: { code, err_code: expect.any(String) } });
    expect(answer.body.err_msg).toContain(named);
  });

  test("a key that is wrong", async () => {
    const answer = await refusedUpgrade(`${scripted.harness.url}/v2/listen?${RAW}`, {
      authorization: "Token sk_live_unknown",
    });
    expect(answer).toMatchObject({ status: 401, body: { err_code: "INVALID_AUTH" } });
  });
});

describe("a message that cannot be read ends the stream, which is charged nothing:", () => {
  const messages: [name: string, message: string][] = [
    ["text", "nonsense"],
    ["another type", '{"type":"Finalize"}'],
    ["no type", '{"no":"type"}'],
    ["audio as text", '{"type":"audio","bytes":"AAAA"}'],
    ["a list", "[]"],
    ["one that is too long", `{"type":"${"x".repeat(100_000)}"}`],
    ["deep nesting", `{"type":"Configure","keyterms":${"[".repeat(5000)}${"]".repeat(5000)}}`],
  ];
  test.each(messages)("%s", async (_name, message) => {
    const stream = await listen(RAW, { rest: "here" });
    stream.socket.send(message);
    expect((await stream.closed).code).toBe(1008);
    const [{ request_id: id }, error] = [stream.messages[0]!, stream.messages.at(-1)!];
    expect(error).toMatchObject({ type: "Error", code: "UNPARSABLE_CLIENT_MESSAGE", sequence_id: 1 });
    expect((await charged(id)).costMicros).toBe(0);
  });
});

test("a container that is not WAV ends the stream", async () => {
  const stream = await listen("", { rest: "here" });
  stream.send(Buffer.from("OggS and so on"));
  expect((await stream.closed).code).toBe(1008);
  expect(stream.messages.at(-1)).toMatchObject({ type: "Error", code: "INVALID_AUDIO" });
});

test("nothing counts after CloseStream, and it is not charged", async () => {
  const stream = await listen(RAW, { words: "We are", rest: "here." });
  stream.send(spoken);
  stream.send({ type: "CloseStream" });
  stream.send(spoken);
  stream.socket.send("nonsense");
  expect((await stream.closed).code).toBe(1000);
  const seconds = spoken.length / 2 / RATE;
  expect((await charged(stream.messages[0]!.request_id)).costMicros).toBe(Math.ceil(seconds * SECOND));
});

test("parameters without an effect are named", async () => {
  const { status, headers } = await upgraded(
    `${RAW}&mip_opt_out=true&tag=a&numerals=true&interim_results=true`,
  );
  expect(status).toBe(101);
  expect(headers["x-ignored-fields"]).toBe("mip_opt_out, numerals, interim_results");
  expect(headers["dg-request-id"]).toMatch(/^req_/);
});

function upgraded(query: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number;
    headers: Record<string, string>;
  }>();
  const asking = httpRequest(`${scripted.harness.url}/v2/listen?${query}`, {
    headers: {
      ...{ connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13", ...token() },
      "sec-websocket-key": btoa("0123456789abcdef"),
    },
  });
  asking.on("upgrade", ({ statusCode, headers }, socket) => {
    socket.destroy();
    resolve({ status: statusCode!, headers: headers as Record<string, string> });
  });
  asking.on("error", reject);
  asking.end();
  return promise;
}
