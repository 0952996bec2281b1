/** Promise: a model that another server runs is to clients as one that runs here, and costs nothing where it fails. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { errorOf, type Harness } from "../../harness.ts";
import { until } from "../../until.ts";
import { openStandIn, respond } from "../../upstreams/stand-in.ts";
import { openTwoHops } from "../two-hops.ts";
import { form } from "./form.ts";

const hears = installedFamilies().has("sphinx");
const unlessRecognition = hears ? "" : " (skipped: libpocketsphinx is not installed)";

let front: Awaited<ReturnType<typeof openTwoHops>>;
let behind: Harness;
beforeAll(async () => {
  front = await openTwoHops();
  behind = front.behind;
});
afterAll(() => front[Symbol.asyncDispose]());

const INPUT = "Good morning to everybody. This text has two sentences, and the second one is longer.";
const speak = (server: Harness, body: object = {}) =>
  server.ask("/v1/audio/speech", {
    method: "POST",
    body: JSON.stringify({ model: "svc-tts1", voice: "male-deep", input: INPUT, ...body }),
  });
const spent = async ({ parts, organizationId }: Harness) => {
  const { balanceMicros } = await parts.ledger.credit(organizationId);
  return -balanceMicros;
};

test("the catalogues of both servers are equal", async () => {
  const list = async (server: Harness, path: string) =>
    (await (await server.ask(path)).json()) as { data: { id: string }[] };
  const ids = async (server: Harness, path: string) =>
    (await list(server, path)).data.map(({ id }) => id).sort();
  expect(await ids(front, "/v1/models")).toEqual(await ids(behind, "/v1/models"));
  expect(await ids(front, "/v1/voices")).toEqual(await ids(behind, "/v1/voices"));
});

describe("speech of another server", () => {
  test.each(["wav", "mp3", "flac", "opus", "pcm"])("in %s is as long as its own", async (response_format) => {
    const [far, near] = await Promise.all([
      speak(front, { response_format }),
      speak(behind, { response_format }),
    ]);
    expect(far.status).toBe(200);
    expect(far.headers.get("content-type")).toBe(near.headers.get("content-type")!);
    const [farBytes, nearBytes] = [await far.bytes(), await near.bytes()];
    expect(farBytes.length / nearBytes.length).toBeCloseTo(1, 1);
  });

  test("is streamed", async () => {
    const response = await speak(front, { stream: true, response_format: "pcm" });
    const near = await (await speak(behind, { stream: true, response_format: "pcm" })).bytes();
    const far = await response.bytes();
    expect(far.length / near.length).toBeCloseTo(1, 1);
  });

  test.each([
    ["whole for a file", {}, false],
    ["as it is made for a stream", { stream: true, response_format: "pcm" }, true],
  ])("is asked for %s", async (_, fields, expected) => {
    const requests = () => behind.logged.filter(({ event }) => event === "request");
    const before = requests().length;
    await (await speak(front, fields)).bytes();
    await until(() => requests().length >= before + 2); // one for each sentence
    expect(
      requests()
        .slice(before)
        .map(({ stream }) => stream),
    ).toEqual([expected, expected]);
  });

  test("has another speed", async () => {
    const [slow, quick] = await Promise.all([speak(front, { speed: 0.5 }), speak(front, { speed: 2 })]);
    expect((await slow.bytes()).length / (await quick.bytes()).length).toBeGreaterThan(2);
  });

  test("costs as much, once at each server", async () => {
    const [before, beforeBehind] = [await spent(front), await spent(behind)];
    await (await speak(front)).bytes();
    expect((await spent(front)) - before).toBe(Math.ceil([...INPUT].length * 15));
    expect((await spent(behind)) - beforeBehind).toBeGreaterThan(0);
  });
});

describe.skipIf(!hears)(`a recording${unlessRecognition}`, () => {
  let wav: Uint8Array;
  beforeAll(async () => {
    wav = await (await speak(behind, { input: "We are at the old house by the river." })).bytes();
  });
  const transcribe = (server: Harness, ...fields: [string, string][]) =>
    server.ask("/v1/audio/transcriptions", form([["model", "svc-stt1"], ["file", wav], ...fields]));

  test("has the same words at nearly the same times", async () => {
    type Verbose = { text: string; words: { word: string; start: number; end: number }[] };
    const fields: [string, string][] = [
      ["response_format", "verbose_json"],
      ["timestamp_granularities[]", "word"],
    ];
    const [far, near] = (await Promise.all(
      [front, behind].map(async (server) => (await transcribe(server, ...fields)).json()),
    )) as [Verbose, Verbose];
    expect(far.text).toBe(near.text);
    for (const [index, { start, end }] of far.words.entries()) {
      expect(start).toBeCloseTo(near.words[index]!.start, 1);
      expect(end).toBeCloseTo(near.words[index]!.end, 1);
    }
  });

  test.each(["json", "text", "srt", "vtt"])("is answered as %s", async (format) => {
    const [far, near] = await Promise.all(
      [front, behind].map(async (server) => (await transcribe(server, ["response_format", format])).text()),
    );
    expect(far).toBe(near!);
  });

  test("is streamed", async () => {
    const text = await (await transcribe(front, ["stream", "true"])).text();
    expect(text).toContain("transcript.text.done");
  });
});

describe("a definition that changes", () => {
  test("is in force at once, reveals no credential, and its failures cost nothing", async () => {
    using broken = openStandIn((_request, reply) =>
      respond(reply, 500, { body: '{"error":"secret internals"}' }),
    );
    const definition = { ...front.definition, name: "broken", urls: [broken.url] };
    const models = [{ type: "tts", model: "acme-tts", upstream_model: "acme", voices: [voice] }];
    await front.parts.upstreamAdmin.put({ ...definition, models });
    const before = await spent(front);
    const response = await speak(front, { model: "acme-tts", voice: "acme-voice" });
    const { status, code, message } = await errorOf(response);
    expect({ status, code }).toEqual({ status: 502, code: "inference_unavailable" });
    expect(message).not.toContain("secret");
    expect(await spent(front)).toBe(before);
    expect(JSON.stringify(front.logged)).not.toContain(behind.key);
    await front.parts.upstreamAdmin.remove("broken");
    expect((await speak(front, { model: "acme-tts", voice: "acme-voice" })).status).toBe(400);
  });

  test("is followed when another process has changed it", async () => {
    const other = { ...front.definition, name: "other" };
    const models = [
      {
        type: "tts",
        model: "other-tts",
        upstream_model: "svc-tts1",
        voices: [{ ...voice, speaker: "male-deep" }],
      },
    ];
    await front.parts.database.query
      .insert(front.parts.database.tables.upstream)
      .values({ name: "other", definition: { ...other, models } });
    await until(() => front.parts.catalogue.find("other-tts") !== null);
    expect((await speak(front, { model: "other-tts", voice: "acme-voice" })).status).toBe(200);
  });

  test("is refused by its field", async () => {
    const put = (change: object) => front.parts.upstreamAdmin.put({ ...front.definition, ...change });
    await expect(put({ preset: "nothing" })).rejects.toThrow("preset must be one of");
    await expect(put({ urls: ["ftp://x"] })).rejects.toThrow("urls.0 must be a URL");
    await expect(put({ urls: ["http://user:password@x"] })).rejects.toThrow("urls.0 must be a URL");
    await expect(put({ flags: { max_in_flight: 0 } })).rejects.toThrow("flags.max_in_flight");
    await expect(put({ credential: { key: "sk-1" } })).rejects.toThrow("credential");
  });
});

const voice = { id: "acme-voice", speaker: "voice", name: "Acme", languages: ["en"] };
