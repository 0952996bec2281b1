/**
 * Promise: an installed package is used without a restart, through the same API; what it lacks works as before. The
 * models here are tiny and random; everything else is real.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import type { Family } from "../../../src/engine/families/families.ts";
import { remove } from "../../../src/models/store/store-writer.ts";
import { nemoContents, nemoOptions } from "../../../testing/packages/families/nemo.ts";
import { STREAMING, streamingContents } from "../../../testing/packages/families/nemo-streaming.ts";
import {
  kokoroContents,
  piperContents,
  supertonicContents,
} from "../../../testing/packages/families/voices.ts";
import { whisperContents } from "../../../testing/packages/families/whisper.ts";
import { type Contents, packageOf, storePackage } from "../../../testing/packages/model-store.ts";
import { openRandom } from "../../../testing/packages/random.ts";
import { type Harness, openHarness } from "../../harness.ts";
import { until } from "../../until.ts";
import { dial } from "./realtime/live.ts";

const weights = mkdtempSync(join(tmpdir(), "loquat-weights-"));
let server: Harness;
beforeAll(async () => {
  server = await openHarness({ environment: { LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2" } });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(weights, { recursive: true, force: true });
});

const put = (name: string, family: Family, made: { options?: object; contents: Contents }) =>
  storePackage(weights, packageOf(name, family, made), made.contents);

type Model = { id: string; public_version: string; capabilities: string[]; supported_languages: string[] };
const model = async (id: string): Promise<Model> =>
  (await (await server.ask(`/v1/models/${id}`)).json()) as Model;

/** As soon as the running server has seen that the model store changed. */
const seen = (id: string, version: string): Promise<Model> =>
  until(async () => {
    const object = await model(id);
    return object.public_version === version && object;
  });

const speak = (body: object) =>
  server.ask("/v1/audio/speech", {
    method: "POST",
    body: JSON.stringify({ input: "Hello, world.", ...body }),
  });

function recording(seconds: number, seed = 1): Float32Array {
  const random = openRandom(seed);
  return Float32Array.from(
    { length: seconds * ASR_SAMPLE_RATE },
    (_, index) => (random() - 0.5) * Math.abs(Math.sin(index / 5000)),
  );
}

function wavOf(samples: Float32Array): Blob {
  const bytes = Buffer.alloc(44 + samples.length * 2);
  bytes.write("RIFF____WAVEfmt ", 0, "latin1");
  bytes.writeUInt32LE(36 + samples.length * 2, 4);
  for (const [index, value] of [
    16,
    1 | (1 << 16),
    ASR_SAMPLE_RATE,
    ASR_SAMPLE_RATE * 2,
    2 | (16 << 16),
  ].entries())
    bytes.writeUInt32LE(value, 16 + index * 4);
  bytes.write("data", 36, "latin1");
  bytes.writeUInt32LE(samples.length * 2, 40);
  for (const [index, sample] of samples.entries())
    bytes.writeInt16LE(Math.round(sample * 32_767), 44 + index * 2);
  return new Blob([bytes]);
}

function transcribe(fields: Record<string, string>): Promise<Response> {
  const body = new FormData();
  body.set("file", wavOf(recording(6)), "noise.wav");
  for (const [name, value] of Object.entries({ model: "svc-stt1", ...fields })) body.set(name, value);
  return server.ask("/v1/audio/transcriptions", { method: "POST", body });
}

describe("speech with installed packages", () => {
  test("uses the embedded voices until a package is installed", async () => {
    expect((await model("svc-tts1")).public_version).toBe("2026-11-01");
    expect((await speak({ model: "svc-tts1", voice: "female-warm" })).status).toBe(200);
  });

  test("uses an installed model, and keeps the voices that the model lacks", async () => {
    put("kokoro-82m", "kokoro", { contents: kokoroContents() });
    const { supported_languages } = await seen("svc-tts1", "2026-11-22");
    expect(supported_languages).toContain("ru"); // by the embedded voices, still
    const listed = (await (await server.ask("/v1/models")).json()) as { data: Model[] };
    expect(listed.data).toContainEqual(await model("svc-tts1"));
    const spoken = await speak({ model: "svc-tts1", voice: "female-warm", response_format: "pcm" });
    expect(spoken.status).toBe(200);
    const samples = new Int16Array(await spoken.arrayBuffer());
    expect(samples.length / TTS_SAMPLE_RATE).toBeGreaterThan(0.5);
    expect(Math.max(...samples)).toBeGreaterThan(5000); // the tone of this model, which no embedded voice has
    expect((await speak({ model: "svc-tts1", voice: "female-crisp", input: "Guten Tag." })).status).toBe(200);
  });

  test("fails for a voice without files, before the first byte and without a charge", async () => {
    const spent = async () => (await server.parts.ledger.totals(server.organizationId)).costMicros;
    const before = await spent();
    const refused = await speak({ model: "svc-tts1", voice: "female-sunny", input: "Hola." });
    expect(refused.status).toBe(502);
    expect(await spent()).toBe(before);
  });

  test("supports every speed; speeds outside the model's range use time stretching", async () => {
    const seconds = async (speed: number) => {
      const spoken = await speak({ model: "svc-tts1", voice: "female-warm", response_format: "pcm", speed });
      return (await spoken.arrayBuffer()).byteLength / 2 / TTS_SAMPLE_RATE;
    };
    const [slow, natural, fast] = [await seconds(0.25), await seconds(1), await seconds(4)];
    expect(slow / natural).toBeGreaterThan(3);
    expect(natural / fast).toBeGreaterThan(3);
  });

  test("uses a package that was installed later", async () => {
    put("piper-de-thorsten", "vits", { contents: piperContents() });
    const { registry } = server.parts;
    await until(async () => {
      const spoken = await speak({ model: "svc-tts1", voice: "male-firm", input: "Guten Tag." });
      expect(spoken.status).toBe(200); // by the embedded voice until the package is seen
      return registry.loads().some(({ name }) => name === "piper-de-thorsten");
    });
  });

  const TEXT =
    "A first sentence that is long enough to stand alone here. And a second, which is not the same as the first one! Then a third?";
  test.each([
    ["kokoro's pruned durations", "kokoro-82m", "2026-11-20"],
    ["supertonic", "supertonic-3", "2026-11-22"],
  ])("streams a WAV whose first bytes have the exact length: %s", async (_name, name, version) => {
    if (name === "supertonic-3")
      put(name, "supertonic", { options: { steps: 2, pace: 1 }, contents: voicesOf(supertonicContents()) });
    await seen("svc-tts2", version);
    const spoken = await speak({
      model: "svc-tts2",
      voice: "female-warm",
      input: TEXT,
      response_format: "wav",
      stream: true,
    });
    expect(spoken.status).toBe(200);
    const bytes = Buffer.from(await spoken.arrayBuffer());
    expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
    expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
    expect(bytes.length).toBeGreaterThan(TTS_SAMPLE_RATE * 4);
  });
});

/** Every voice of the manifest, all of them the same. */
function voicesOf(contents: Contents): Contents {
  const style = contents["voice-F1"]!;
  const names = ["F2", "F3", "F4", "F5", "M1"];
  const more = names.map(
    (name) => [`voice-${name}`, { ...style, path: `voice_styles/${name}.json` }] as const,
  );
  return { ...contents, ...Object.fromEntries(more) };
}

type Timed = { start: number; end: number };

describe("transcription with installed packages", () => {
  test("uses an installed model with its abilities", async () => {
    put("parakeet-tdt-0.6b-v3", "nemo", {
      options: nemoOptions("tdt", 5),
      contents: nemoContents.joint({ durations: 5 }),
    });
    const { supported_languages, capabilities } = await seen("svc-stt1", "2026-11-22");
    expect(supported_languages).toContain("fr");
    expect(capabilities).toEqual(["batch", "streaming", "realtime"]);
    const transcript = await transcribe({
      response_format: "verbose_json",
      "timestamp_granularities[]": "word",
    });
    expect(transcript.status).toBe(200);
    const { words, duration } = (await transcript.json()) as { words: Timed[]; duration: number };
    expect(duration).toBeCloseTo(6, 3);
    expect(words.length).toBeGreaterThan(3);
    for (const [index, { start, end }] of words.entries()) {
      expect(start).toBeGreaterThanOrEqual(words[index - 1]?.start ?? 0);
      expect(end).toBeGreaterThanOrEqual(start);
      expect(end).toBeLessThan(7);
    }
  });

  test("streams deltas that join to the text", async () => {
    const stream = await transcribe({ stream: "true" });
    const events = (await stream.text()).match(/(?<=^data: ).*$/gm)!.map((data) => JSON.parse(data));
    const deltas = events.flatMap(({ type, delta }) => (type === "transcript.text.delta" ? [delta] : []));
    expect(deltas.join("")).toBe(events.at(-1).text);
    expect(deltas.length).toBeGreaterThan(0);
  });

  test("uses another model for a language that only that one supports", async () => {
    expect((await transcribe({ language: "ja" })).status).toBe(400);
    put("whisper-base", "whisper", { contents: whisperContents({ seed: 3 }) });
    await until(async () => (await model("svc-stt1")).supported_languages.includes("ja"));
    const transcript = await transcribe({ language: "de", response_format: "verbose_json" });
    expect(((await transcript.json()) as { language: string }).language).toBe("german");
  });

  test("gives twenty simultaneous requests the transcripts they get alone", async () => {
    const textOf = async () => ((await (await transcribe({})).json()) as { text: string }).text;
    const alone = await textOf();
    const together = await Promise.all(Array.from({ length: 20 }, textOf));
    expect(new Set(together)).toEqual(new Set([alone]));
  });
});

test("a live session uses the streaming model, and the other one once that is removed", async () => {
  put("nemotron-3.5-streaming", "nemo-streaming", { options: STREAMING, contents: streamingContents() });
  const isListed = () => {
    const version = server.parts.catalogue.find("svc-stt1")?.version;
    const engines = version?.type === "stt" ? version.recognition.engines : [];
    return engines.some(({ engine }) => engine === "nemotron-3.5-streaming");
  };
  await until(isListed);
  const hear = async () => {
    const client = await dial(server, { query: "intent=transcription" });
    await client.until("session.created");
    client.update({
      type: "transcription",
      audio: { input: { format: { type: "audio/pcm", rate: 24_000 }, turn_detection: null } },
    });
    await client.until("session.updated");
    const pcm = Int16Array.from(
      { length: 24_000 * 3 },
      (_, index) => 9000 * Math.sin(index / 30) * Math.sin(index / 4000),
    );
    for (let offset = 0; offset < pcm.length; offset += 4800)
      client.append(new Uint8Array(pcm.slice(offset, offset + 4800).buffer));
    client.commit();
    const { transcript } = await client.until("input_audio_transcription.completed");
    const deltas = client.events
      .filter(({ type }) => type.endsWith("transcription.delta"))
      .map(({ delta }) => delta);
    client.socket.close();
    expect(deltas.join("")).toBe(transcript as string);
    return transcript as string;
  };
  const remembered = await hear();
  expect(remembered.length).toBeGreaterThan(0);
  expect(await Promise.all([hear(), hear(), hear()])).toEqual([remembered, remembered, remembered]);
  remove(weights, "nemotron-3.5-streaming");
  await until(() => !isListed());
  expect(await hear()).not.toBe(remembered);
});
