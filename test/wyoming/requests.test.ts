/**
 * Promise: speech and transcripts over the Wyoming port are those of the HTTP API, and are metered, limited and refused
 * like them; a refusal is an error and the end of the connection.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { type Harness, openHarness } from "../harness.ts";
import { until } from "../until.ts";
import { audioOf, type ServedWyoming, serveWyoming, typesOf, type WyomingPeer, withPeer } from "./peer.ts";

const hears = installedFamilies().has("sphinx");
const unlessRecognition = hears ? "" : " (skipped: libpocketsphinx is not installed)";
const TEXT = "We are at the old house by the river.";
const PCM = { rate: 24_000, width: 2, channels: 1 };

let harness: Harness;
let server: ServedWyoming;
let pcm: Buffer;

beforeAll(async () => {
  harness = await openHarness();
  server = await serveWyoming(harness);
  const body = { model: "svc-tts1", voice: "male-deep", input: TEXT, response_format: "pcm" };
  const spoken = await harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify(body) });
  pcm = Buffer.from(await spoken.arrayBuffer());
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await harness[Symbol.asyncDispose]();
});

const within = <T>(work: (peer: WyomingPeer) => Promise<T>) => withPeer(server.port, work);

/** The line that each request of this test logged at its end, in order. */
let from = 0;
beforeEach(() => {
  from = harness.logged.length;
});
const logged = (count = 1) =>
  until(() => {
    const lines = harness.logged
      .slice(from)
      .filter(({ event, method }) => event === "request" && method === "TCP");
    return lines.length >= count && lines;
  });

function sendAudio(peer: WyomingPeer, audio: Buffer, format = PCM): void {
  peer.send("audio-start", { ...format, timestamp: null });
  for (let offset = 0; offset < audio.length; offset += 2048)
    peer.send("audio-chunk", { ...format, timestamp: null }, audio.subarray(offset, offset + 2048));
  peer.send("audio-stop", { timestamp: null });
}

describe("info", () => {
  test("has every field that clients require, and one program of each kind", async () => {
    const info = await within(async (peer) => {
      peer.send("describe");
      return (await peer.next())!;
    });
    expect(info.type).toBe("info");
    const { asr, tts, ...others } = info.data as Record<string, Record<string, unknown>[]>;
    expect(others).toEqual({ handle: [], intent: [], wake: [], mic: [], snd: [] });
    expect([asr!.length, tts!.length]).toEqual([hears ? 1 : 0, 1]);
    const { voices, supports_synthesize_streaming } = tts![0]!;
    expect(supports_synthesize_streaming).toBe(true);
    const named = { installed: true, attribution: { name: expect.any(String), url: expect.any(String) } };
    expect(voices).toContainEqual(
      expect.objectContaining({
        ...named,
        name: "female-warm",
        description: "Ada (en-US)",
        languages: ["en-US"],
      }),
    );
    if (hears) expect(asr![0]!.models).toMatchObject([{ ...named, name: "svc-stt1", languages: ["en"] }]);
  });
});

describe("synthesize", () => {
  test("answers one clip with the samples of the HTTP API, and is metered", async () => {
    const events = await within(async (peer) => {
      peer.send("synthesize", { text: TEXT, voice: { name: "male-deep" } });
      return peer.until("audio-stop");
    });
    expect(typesOf(events).filter((type) => type !== "audio-chunk")).toEqual(["audio-start", "audio-stop"]);
    expect(events[0]!.data).toEqual(PCM);
    expect(audioOf(events).equals(pcm)).toBe(true);
    const [line] = await logged();
    expect(line).toMatchObject({ endpoint: "wyoming/synthesize", costMicros: TEXT.length * 15 });
    expect(line).toMatchObject({
      ...{ status: 200, model: "svc-tts1", voice: "male-deep", characters: TEXT.length },
      ...{ organizationId: harness.organizationId, errorCode: null, stream: false },
      audioSeconds: pcm.length / 48_000,
    });
  });

  test("takes a default voice, a voice for a language, and several texts on one connection", async () => {
    await within(async (peer) => {
      peer.send("synthesize", { text: "One." });
      expect(audioOf(await peer.until("audio-stop")).length).toBeGreaterThan(0);
      peer.send("synthesize", { text: "Zwei.", voice: { language: "de" } });
      expect(audioOf(await peer.until("audio-stop")).length).toBeGreaterThan(0);
    });
    expect((await logged(2)).map(({ characters }) => characters)).toEqual([4, 5]);
  });

  test("streams a clip for each sentence as it is written, and always says that it stopped", async () => {
    const [first, rest] = await within(async (peer) => {
      peer.send("synthesize-start", { voice: { name: "male-deep" } });
      for (const text of ["We are", " at the old", " house.", " By"]) peer.send("synthesize-chunk", { text });
      const before = await peer.until("audio-stop"); // while the text is still being written
      peer.send("synthesize-chunk", { text: " the river." });
      peer.send("synthesize", { text: TEXT });
      peer.send("synthesize-stop");
      return [before, await peer.until("synthesize-stopped")];
    });
    expect(typesOf(first).filter((type) => type !== "audio-chunk")).toEqual(["audio-start", "audio-stop"]);
    expect(typesOf(rest!).filter((type) => type !== "audio-chunk")).toEqual([
      "audio-start",
      "audio-stop",
      "synthesize-stopped",
    ]);
    const characters = "We are at the old house. By the river.".length;
    const row = { status: 200, stream: true, characters, costMicros: characters * 15 };
    expect(await logged()).toMatchObject([row]);
  });

  test("leaves out a sentence of a stream that the voice cannot pronounce, unless there is no other", async () => {
    const stream = (text: string) =>
      within(async (peer) => {
        peer.send("synthesize-start", { voice: { name: "male-deep" } });
        peer.send("synthesize-chunk", { text });
        peer.send("synthesize-stop");
        const events = await peer.until("synthesize-stopped");
        return typesOf(events).filter((type) => type !== "audio-chunk");
      });
    const [mixed, foreign] = [await stream("Привет мир.\nIt means hello."), await stream("Привет мир.")];
    expect([mixed, foreign]).toEqual([["audio-start", "audio-stop", "synthesize-stopped"], ["error"]]);
    expect(await logged(2)).toMatchObject([
      { status: 200, characters: "It means hello.".length },
      { status: 422, errorCode: "unpronounceable_input", costMicros: 0 },
    ]);
  });

  test("counts all text of a stream towards its limit, also what the voice cannot pronounce", async () => {
    const events = await within(async (peer) => {
      peer.send("synthesize-start", { voice: { name: "male-deep" } });
      for (let sent = 0; sent < 11; sent++) peer.send("synthesize-chunk", { text: "Привет.\n".repeat(100) });
      return peer.until();
    });
    expect(events).toMatchObject([{ type: "error", data: { code: "validation_error" } }]);
    expect(await logged()).toMatchObject([{ status: 422, errorCode: "validation_error", costMicros: 0 }]);
  });

  test("answers a stream without text, and charges nothing", async () => {
    const events = await within(async (peer) => {
      peer.send("synthesize-start");
      peer.send("synthesize-chunk", { text: " 😀 " });
      peer.send("synthesize-stop");
      return peer.until("synthesize-stopped");
    });
    expect(typesOf(events)).toEqual(["synthesize-stopped"]);
    expect(await logged()).toMatchObject([{ status: 200, costMicros: 0 }]);
  });

  test.each([
    ["an unknown voice", { text: "Hi.", voice: { name: "nobody" } }, "invalid_voice"],
    ["a language that no voice speaks", { text: "Hi.", voice: { language: "tlh" } }, "unsupported_language"],
    ["an empty text", { text: " " }, "validation_error"],
    ["a text that the voice cannot pronounce", { text: "Привет" }, "unpronounceable_input"],
    ["too much text", { text: "word ".repeat(2000) }, "validation_error"],
  ])("refuses %s with an error and the end of the connection", async (_name, data, code) => {
    const before = await harness.parts.ledger.totals(harness.organizationId);
    const events = await within(async (peer) => {
      peer.send("synthesize", data);
      return peer.until();
    });
    expect(events).toMatchObject([{ type: "error", data: { code, text: expect.any(String) } }]);
    const after = await harness.parts.ledger.totals(harness.organizationId);
    expect(after.costMicros).toBe(before.costMicros);
  });
});

describe.if(hears)(`transcribe${unlessRecognition}`, () => {
  const transcribed = (audio: Buffer, format = PCM) =>
    within(async (peer) => {
      peer.send("transcribe", { language: "en" });
      sendAudio(peer, audio, format);
      return peer.until("transcript-stop");
    });

  test("answers the transcript of the HTTP API, in parts and whole, and is metered", async () => {
    const form = new FormData();
    form.set("model", "svc-stt1");
    form.set("response_format", "text");
    const header = (await import("../../src/audio/pcm.ts")).wavHeader(pcm.length / 2, 24_000);
    form.set("file", new Blob([header, pcm]), "a.wav");
    const overHttp = await harness.ask("/v1/audio/transcriptions", { method: "POST", body: form });
    const text = (await overHttp.text()).trim();
    const events = await transcribed(pcm);
    expect(typesOf(events).at(0)).toBe("transcript-start");
    const { data } = events.find(({ type }) => type === "transcript")!;
    expect(data).toEqual({ text, language: "en" });
    const parts = events.filter(({ type }) => type === "transcript-chunk").map((event) => event.data.text);
    expect(parts.join("")).toBe(text);
    const rows = await harness.parts.ledger.requests(harness.organizationId, 100);
    const { audioSeconds, costMicros } = rows.find(
      ({ endpoint }) => endpoint === "/v1/audio/transcriptions",
    )!;
    const row = { endpoint: "wyoming/transcribe", status: 200, model: "svc-stt1", audioSeconds, costMicros };
    expect(await logged()).toMatchObject([row]);
  });

  test("reads any width and number of channels", async () => {
    const stereo = Buffer.alloc(pcm.length * 4);
    for (let at = 0; at < pcm.length; at += 2) {
      const sample = pcm.readInt16LE(at) * 65_536;
      stereo.writeInt32LE(sample, at * 4);
      stereo.writeInt32LE(sample, at * 4 + 4);
    }
    const textOf = async (audio: Buffer, format = PCM) =>
      (await transcribed(audio, format)).find(({ type }) => type === "transcript")!.data.text;
    expect(await textOf(stereo, { rate: 24_000, width: 4, channels: 2 })).toBe(await textOf(pcm));
    const narrow = Buffer.from(
      Uint8Array.from({ length: pcm.length / 2 }, (_, at) => pcm.readInt8(at * 2 + 1)),
    );
    expect(await textOf(narrow, { ...PCM, width: 1 })).toContain("house");
  });

  test("reads samples that are divided between chunks, and leaves out the last half of one", async () => {
    const events = await within(async (peer) => {
      const format = { ...PCM, timestamp: null };
      peer.send("transcribe", { language: "en" });
      peer.send("audio-start", format);
      const audio = Buffer.concat([pcm, Buffer.alloc(1)]);
      for (let offset = 0; offset < audio.length; offset += 2047)
        peer.send("audio-chunk", format, audio.subarray(offset, offset + 2047));
      peer.send("audio-stop", { timestamp: null });
      return peer.until("transcript-stop");
    });
    const textOf = (all: typeof events) => all.find(({ type }) => type === "transcript")!.data.text;
    expect(textOf(events)).toBe(textOf(await transcribed(pcm)));
  });

  test("answers silence with an empty text and no audio without a charge", async () => {
    const events = await transcribed(Buffer.alloc(48_000));
    expect(events.find(({ type }) => type === "transcript")!.data.text).toBe("");
    const nothing = await within(async (peer) => {
      peer.send("audio-start", PCM);
      peer.send("audio-stop");
      return peer.until("transcript");
    });
    expect(nothing.at(-1)!.data.text).toBe("");
    expect((await logged(2))[1]).toMatchObject({ status: 200, costMicros: 0 });
  });

  test.each([
    ["a language that no model knows", { language: "de" }, PCM, "unsupported_language"],
    ["an unknown model", { name: "large-v9" }, PCM, "invalid_model"],
  ])("refuses %s before the audio", async (_name, requested, format, code) => {
    const events = await within(async (peer) => {
      peer.send("transcribe", requested);
      peer.send("audio-start", format);
      return peer.until();
    });
    expect(events).toMatchObject([{ type: "error", data: { code } }]);
  });

  test("refuses a recording that is too large or of two formats", async () => {
    const refusedAfter = (send: (peer: WyomingPeer) => void) =>
      within(async (peer) => {
        send(peer);
        return (await peer.until()).map(({ type, data }) => [type, data.code]);
      });
    const loud = { rate: 192_000, width: 4, channels: 8 };
    const mebibyte = Buffer.alloc(1024 * 1024);
    const large = refusedAfter((peer) => {
      for (let sent = 0; sent < 26; sent++) peer.send("audio-chunk", loud, mebibyte);
    });
    expect(await large).toEqual([["error", "file_too_large"]]);
    const changed = refusedAfter((peer) => {
      peer.send("audio-start", PCM);
      peer.send("audio-chunk", { ...PCM, rate: 16_000 }, Buffer.alloc(2));
    });
    expect(await changed).toEqual([["error", "invalid_audio"]]);
  });
});

test("the memory of a recording is released when its client leaves", async () => {
  await within(async (peer) => {
    peer.send("audio-chunk", PCM, Buffer.alloc(500_000));
    await until(() => harness.parts.budget.heldBytes() !== 0);
  });
  await until(() => harness.parts.budget.heldBytes() === 0);
});
