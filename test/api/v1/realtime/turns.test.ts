/** Promise: turns are detected where speech is, with every detector, chunking and audio format. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { toInt16 } from "../../../../src/audio/pcm.ts";
import { clip, hasClips, hasSilero, WEIGHTS } from "../../../clips.ts";
import { type Harness, openHarness } from "../../../harness.ts";
import { type Client, dial, type ServerEvent, scriptedLive, silence } from "./live.ts";

setDefaultTimeout(120_000);

const unlessRecorded = hasClips ? "" : " (skipped: no recordings here)";
const PAUSE = 1.5; // seconds

const detectors = { "WebRTC's": "/nowhere", ...(hasSilero ? { Silero: WEIGHTS } : {}) };

/** Two sentences of people, with a pause before, between and after; and when each is said, in milliseconds. */
async function dialogue(rate: number) {
  const sentences = await Promise.all(
    ["speech-en/LJ001-0008.wav", "speech-en/quilter.wav"].map((path) => clip(path, rate)),
  );
  const quiet = new Float32Array(PAUSE * rate);
  const parts = [quiet, ...sentences.flatMap((sentence) => [sentence, quiet])];
  const samples = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  const spans: [start: number, end: number][] = [];
  let offset = 0;
  for (const part of parts) {
    samples.set(part, offset);
    if (part !== quiet) spans.push([(offset / rate) * 1000, ((offset + part.length) / rate) * 1000]);
    offset += part.length;
  }
  return { pcm: new Uint8Array(toInt16(samples).buffer), spans };
}

/** What a client is told of all this audio, without the names of things. */
async function tell(
  client: Client,
  pcm: Uint8Array,
  chunk: number,
): Promise<Omit<ServerEvent, "event_id">[]> {
  for (let offset = 0; offset < pcm.length; offset += chunk) client.append(pcm.slice(offset, offset + chunk));
  await client.until("completed", 2);
  client.close();
  const names = new Map<unknown, string>();
  const named = (id: unknown) => names.get(id) ?? names.set(id, `item ${names.size + 1}`).get(id);
  return client.events
    .filter(({ type }) => type !== "session.created" && type !== "session.updated")
    .map(({ event_id: _, item, ...event }) => ({
      ...event,
      ...("item_id" in event ? { item_id: named(event.item_id) as string } : {}),
      ...(event.previous_item_id ? { previous_item_id: named(event.previous_item_id) } : {}),
      ...(item ? { item: { ...item, id: named((item as { id: string }).id) } } : {}),
    }));
}

describe.skipIf(!hasClips).each(Object.entries(detectors))(
  `%s detector${unlessRecorded}`,
  (_name, weights) => {
    let harness: Harness;
    beforeAll(async () => {
      harness = await openHarness({
        environment: { LOQUAT_WEIGHTS: weights },
        services: { live: scriptedLive().live },
      });
    });
    afterAll(() => harness[Symbol.asyncDispose]());

    test("finds both turns, with padding before and the required silence after", async () => {
      const { pcm, spans } = await dialogue(24_000);
      const events = await tell(await dial(harness), pcm, 4800);
      const starts = events.flatMap(({ audio_start_ms: ms }) => (ms === undefined ? [] : [ms as number]));
      const ends = events.flatMap(({ audio_end_ms: ms }) => (ms === undefined ? [] : [ms as number]));
      expect([starts.length, ends.length]).toEqual([2, 2]);
      for (const [index, [start, end]] of spans.entries()) {
        expect(starts[index]!).toBeWithin(start - 550, start + 400); // who reads may take a breath first
        expect(ends[index]!).toBeWithin(end, end + 850);
      }
    });

    test("sends identical events for any chunking", async () => {
      const { pcm } = await dialogue(16_000);
      const format = { type: "audio/pcm", rate: 16_000 };
      const eventsFor = async (chunk: number) => {
        const client = await dial(harness);
        client.update({ type: "transcription", audio: { input: { format } } });
        return tell(client, pcm, chunk);
      };
      const whole = await eventsFor(pcm.length);
      expect(whole.length).toBeGreaterThan(8);
      for (const chunk of [31, 999, 3200, 32_000]) {
        const other = await eventsFor(chunk);
        const order = ({ type, item_id: id }: Omit<ServerEvent, "event_id">) => `${id ?? ""} ${type}`;
        const sorted = (events: Omit<ServerEvent, "event_id">[]) =>
          events.toSorted((a, b) => order(a).localeCompare(order(b))); // a transcript may overlap the next turn
        expect(sorted(other)).toEqual(sorted(whole));
      }
    });

    test("silence produces no turn", async () => {
      const client = await dial(harness);
      client.append(silence(20));
      client.send("input_audio_buffer.clear");
      await client.until("cleared");
      expect(client.types()).toEqual(["created", "cleared"]);
      client.close();
    });
  },
);
