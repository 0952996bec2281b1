/** Promise: jambonz is given the speech that it asks for, by request and while a text is written, and pays for what it was sent. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { type Harness, openHarness } from "../../harness.ts";
import { until } from "../../until.ts";
import { askAs, decoded } from "./asking.ts";
import { dialSpeech } from "./speech-dial.ts";
import { refusedUpgrade } from "./streamed.ts";

setDefaultTimeout(120_000);

const PRICE = 15; // micros a character
const SENTENCE = "The harbour lights came on one by one while the last boats turned for home. ";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());
afterEach(async () => {
  await until(() => harness.parts.activity.openSessions() === 0);
  expect(differencesOf(await harness.parts.ledger.audit())).toEqual([]);
});

const balance = async () => (await harness.parts.ledger.credit(harness.organizationId)).balanceMicros;
/** Characters that are paid for while something is done. */
async function paidFor(work: () => Promise<unknown>): Promise<number> {
  const before = await balance();
  await work();
  await until(() => harness.parts.activity.openSessions() === 0);
  return (before - (await balance())) / PRICE;
}

describe("POST /jambonz/synthesize", () => {
  const ask = (body: object, { query = "", accept = "" } = {}) =>
    askAs("jambonz", harness)(`/jambonz/synthesize${query}`, body, {
      headers: {
        ...{ authorization: `Bearer ${harness.key}`, "content-type": "application/json" },
        ...(accept && { accept }),
      },
    });
  /** As jambonz's media server writes it. */
  const prompt = { text: "Good morning.", type: "text", language: "en-US", voice: "male-deep" };

  test("answers with MP3, as jambonz's media server accepts it, and charges the characters", async () => {
    let response!: Response;
    const paid = await paidFor(async () => {
      response = await ask(prompt, { accept: "audio/mpeg" });
      const { seconds } = await decoded("mp3", await response.bytes());
      expect(seconds).toBeWithin(0.4, 3);
    });
    expect(paid).toBe(prompt.text.length);
    expect(response.headers.get("content-type")).toBe("audio/mpeg");
  });

  test.each<[string, string, string, string, number]>([
    ["", "", "", "audio/mpeg", 24_000],
    ["", "audio/wav", "", "audio/wav", 8000],
    ["?format=wav&sampleRate=16000", "", "", "audio/wav", 16_000],
    ["?format=mpeg", "", "8000", "audio/mpeg", 16_000],
  ])("with %s, accepting %s, of sampleRate %s it is %s of %i Hz", async (query, accept, rate, type, hz) => {
    const body = { ...prompt, ...(rate && { sampleRate: Number(rate) }) };
    const response = await ask(body, { query, accept });
    expect(response.headers.get("content-type")).toBe(type);
    const format = type === "audio/wav" ? "wav" : "mp3";
    expect((await decoded(format, await response.bytes())).rate).toBe(hz);
  });

  test.each([8000, 16_000, 24_000, 32_000, 48_000])("sends samples of %i Hz, and says so", async (hz) => {
    const response = await ask(prompt, { query: `?format=l16&sampleRate=${hz}` });
    expect(response.headers.get("content-type")).toBe(`audio/l16;rate=${hz}`);
    expect((await response.bytes()).length / 2 / hz).toBeWithin(0.4, 3);
  });

  test("speaks SSML, with its element or without", async () => {
    const lengthOf = async (body: object) =>
      (await (await ask({ ...prompt, ...body }, { query: "?format=l16" })).bytes()).length;
    const plain = await lengthOf({ text: "Good morning." });
    const pause = '<break time="2s"/>Good morning.';
    for (const text of [pause, `<speak>${pause}</speak>`])
      expect((await lengthOf({ type: "ssml", text })) - plain).toBeWithin(24_000, 40_000);
  });

  test("finds a voice of the language where jambonz names none", async () => {
    const { parts, organizationId } = harness;
    const british = parts.catalogue.voices.find(({ locale }) => locale === "en-GB")!.id;
    for (const voice of [undefined, null, "", "undefined"]) {
      const response = await ask({ ...prompt, voice, language: "en-GB" });
      expect(response.status).toBe(200);
      await response.bytes();
      const id = response.headers.get("x-request-id");
      const row = await until(() => parts.ledger.request(organizationId, id!));
      expect(row.voice).toBe(british);
    }
  });

  test("names in a header what has no effect", async () => {
    const response = await ask({ ...prompt, gender: "female" }, { query: "?callSid=a" });
    expect(response.headers.get("x-ignored-fields")).toBe("gender, callSid");
    await response.bytes();
  });

  test.each<[string, object, string, number, string]>([
    ["no text", { text: "" }, "", 422, "validation_error"],
    ["a text that is none", { text: 5 }, "", 422, "validation_error"],
    ["too long a text", { text: "a".repeat(90_000) }, "", 422, "validation_error"],
    ["another type", { type: "markdown" }, "", 422, "validation_error"],
    ["a voice that is not here", { voice: "nobody-here" }, "", 404, "invalid_voice"],
    ["a model that is not here", {}, "?model=none-such", 400, "invalid_model"],
    ["a rate that jambonz has no name for", {}, "?format=l16&sampleRate=11025", 400, "unsupported_parameter"],
    ["a format that it does not play", {}, "?format=opus", 422, "validation_error"],
  ])("refuses %s, in its own shape, and charges nothing", async (_name, fields, query, status, code) => {
    const paid = await paidFor(async () => {
      const response = await ask({ ...prompt, ...fields }, { query });
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ error: expect.any(String), code });
    });
    expect(paid).toBe(0);
  });
});

describe("the socket of /jambonz/synthesize", () => {
  const dial = (query = "voice=male-deep&language=en-US&sampleRate=8000", from = harness) =>
    dialSpeech(from, {
      path: `/jambonz/synthesize?${query}`,
      headers: { authorization: `Bearer ${from.key}` },
    });
  type Client = Awaited<ReturnType<typeof dial>>;
  const bytesOf = ({ binary }: Client) => binary.reduce((sum, { length }) => sum + length, 0);
  /** No message says that a text is over: what it costs has been charged then, and nothing more comes. */
  const heard = (client: Client, seconds: number, rate = 8000) =>
    until(() => bytesOf(client) >= seconds * 2 * rate);

  test("says the rate of its samples, then speaks text after text of a call, until it is stopped", async () => {
    const texts = ["Good morning.", "How are", "you today?"];
    let client!: Client;
    const paid = await paidFor(async () => {
      client = await dial();
      await client.until(({ type }) => type === "connect");
      client.send({ type: "stream", text: texts[0] });
      client.send({ type: "flush" });
      await heard(client, 0.4);
      const before = bytesOf(client);
      for (const text of texts.slice(1)) client.send({ type: "stream", text });
      client.send({ type: "keepalive" });
      client.send({ type: "flush" });
      client.send({ type: "flush" });
      await until(() => bytesOf(client) > before + 8000);
      client.send({ type: "stop" });
      expect(await client.closed()).toMatchObject({ code: 1000 });
    });
    expect(client.told).toEqual([{ type: "connect", data: { sample_rate: 8000, base64_encoding: false } }]);
    expect(paid).toBe("Good morning.".length + "How are you today?".length); // parts are divided between words
  });

  test.each([16_000, 48_000])("sends samples of %i Hz where the call has it", async (hz) => {
    const client = await dial(`sampleRate=${hz}&callSid=a`);
    expect(client.head["x-ignored-fields"]).toBe("callSid");
    expect((await client.until(({ type }) => type === "connect"))!.data).toMatchObject({ sample_rate: hz });
    client.send({ type: "stream", text: "Good morning." });
    client.send({ type: "flush" });
    await heard(client, 0.4, hz);
    client.close();
  });

  test("a caller who interrupts hears no more, and the rest is not charged", async () => {
    const text = SENTENCE.repeat(40);
    const paid = await paidFor(async () => {
      const client = await dial("sampleRate=48000");
      client.send({ type: "stream", text });
      client.send({ type: "flush" });
      await until(() => client.binary.length > 0);
      client.send({ type: "stop" });
      expect(await client.closed()).toMatchObject({ code: 1000 });
    });
    expect(paid).toBeWithin(1, text.length);
  });

  test("a client that reads nothing holds back its text", async () => {
    await using own = await openHarness();
    const credit = async () => (await own.parts.ledger.credit(own.organizationId)).balanceMicros;
    const before = await credit();
    const client = await dial("sampleRate=48000", own);
    client.socket.pause();
    client.send({ type: "stream", text: SENTENCE.repeat(60) });
    client.send({ type: "flush" });
    await until(async () => (await credit()) < before);
    client.socket.terminate();
    await until(() => own.parts.activity.openSessions() === 0);
    expect((before - (await credit())) / PRICE).toBeWithin(1, 60 * SENTENCE.length - 1);
  });

  test.each<[string, (object | string | Buffer)[], string]>([
    ["a message that is none", [{ type: "speak" }], "invalid_event"],
    ["a message without a type", [{}], "invalid_event"],
    ["a text that is none", [{ type: "stream", text: 5 }], "validation_error"],
    ["no JSON", ["stream"], "invalid_event"],
    ["a binary frame", [Buffer.from([1, 2])], "invalid_event"],
    ["a frame that is too large", [{ type: "stream", text: "a".repeat(70_000) }], "invalid_event"],
    [
      "more text than can wait",
      Array(12).fill({ type: "stream", text: "word ".repeat(3000) }),
      "validation_error",
    ],
  ])("is told of %s, and closed with 1008", async (_name, frames, code) => {
    const client = await dial("sampleRate=48000");
    for (const frame of frames)
      if (Buffer.isBuffer(frame)) client.socket.send(frame);
      else client.send(frame);
    expect(await client.closed()).toEqual({ code: 1008, reason: code });
    expect(client.told.at(-1)).toMatchObject({ type: "error", code, error: expect.any(String) });
  });

  test.each<[string, string, number, string]>([
    ["a voice that is not here", "voice=nobody-here", 404, "invalid_voice"],
    ["a model that is not here", "model=none-such", 400, "invalid_model"],
    ["a rate that is not made", "sampleRate=11025", 400, "unsupported_parameter"],
    ["a rate that is none", "sampleRate=high", 422, "validation_error"],
  ])("refuses the upgrade for %s", async (_name, query, status, code) => {
    const headers = { authorization: `Bearer ${harness.key}` };
    const answer = await refusedUpgrade(`${harness.url}/jambonz/synthesize?${query}`, headers);
    expect(answer).toMatchObject({ status, body: { code, error: expect.any(String) } });
  });

  test("a third call is refused where an organization may have two at once, and told so", async () => {
    await using small = await openHarness({ free: true });
    const clients: Client[] = [];
    for (let i = 0; i < 3; i++) clients.push(await dial("sampleRate=8000", small));
    expect(await clients.at(-1)!.closed()).toEqual({ code: 1013, reason: "concurrency_limit_exceeded" });
    expect(clients.at(-1)!.told).toMatchObject([{ type: "error", code: "concurrency_limit_exceeded" }]);
    for (const client of clients) client.close();
  });

  test("a key that ends closes its calls", async () => {
    const { accounts } = harness.parts;
    const projectId = (await accounts.defaultProject(harness.organizationId))!.id;
    const made = { name: "a", environment: "live", expiresAt: null, projectId } as const;
    const { id, secret } = await accounts.createKey({ ...made, scopes: ["speech:create"] });
    const client = await dialSpeech(harness, {
      path: "/jambonz/synthesize",
      headers: { authorization: `Bearer ${secret}` },
    });
    await client.until(({ type }) => type === "connect");
    await accounts.revokeKey(id);
    expect(await client.closed()).toMatchObject({ code: 1008, reason: "api_key_revoked" });
  });

  test("whenever a caller interrupts, what was charged covers what was sent, and no sentence that was not", async () => {
    const perSentence = SENTENCE.trimEnd().length;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: 4 }),
        async (texts, frames) => {
          let sent = 0;
          const paid = await paidFor(async () => {
            const client = await dial("sampleRate=8000");
            for (let each = 0; each < texts; each++) {
              client.send({ type: "stream", text: SENTENCE });
              client.send({ type: "flush" });
            }
            await until(() => client.binary.length >= frames);
            client.send({ type: "stop" });
            await client.closed();
            sent = bytesOf(client);
          });
          expect(paid).toBeWithin(0, texts * (perSentence + 2));
          if (sent === 0) expect(paid).toBe(0);
        },
      ),
      { numRuns: 8 },
    );
  });
});

test("what is switched off is not there", async () => {
  await using off = await openHarness({ environment: { LOQUAT_DIALECTS: "deepgram" } });
  const response = await askAs("jambonz", off)("/jambonz/synthesize", { text: "Hi." });
  expect(response.status).toBe(404);
});
