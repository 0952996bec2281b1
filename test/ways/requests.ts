/**
 * Requests of one kind, for a run under coverage. `bun test` opens this file by its path:
 *
 *   LOQUAT_WAY=speech LOQUAT_TIMES=20 bun test --coverage ./test/ways/requests.ts
 */
import { test } from "bun:test";
import { form } from "../api/v1/form.ts";
import { dial, MANUAL, silence } from "../api/v1/realtime/live.ts";
import { type Harness, openHarness } from "../harness.ts";
import { takes } from "../until.ts";

const { LOQUAT_WAY: way = "", LOQUAT_TIMES = "", LOQUAT_IDLE_MS = "0" } = Bun.env;
const times = Array.from({ length: Number(LOQUAT_TIMES) });
const INPUT = "Good morning";
const REALTIME_FRAME_SECONDS = 0.1;

const speech = { model: "svc-tts1", voice: "male-deep", input: INPUT };
const speak = (harness: Harness) =>
  harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify(speech) });

/** `end`: after the last. */
type Way = { request: (index: number) => Promise<unknown>; end?: () => Promise<void> };

/** Each opens what its requests need. */
const WAYS: Record<string, (harness: Harness) => Promise<Way>> = {
  speech: async (harness) => ({ request: async () => (await speak(harness)).bytes() }),
  async transcription(harness) {
    const wav = await (await speak(harness)).bytes();
    const fields: Parameters<typeof form>[0] = [
      ["model", "svc-stt1"],
      ["file", wav],
    ];
    return { request: async () => (await harness.ask("/v1/audio/transcriptions", form(fields))).json() };
  },
  async frame(harness) {
    const client = await dial(harness);
    await client.until("created");
    return {
      request: async () => client.append(silence(REALTIME_FRAME_SECONDS)),
      async end() {
        client.update(MANUAL); // is answered once all frames are read
        await client.until("updated");
      },
    };
  },
  async charge({ parts }) {
    const [key] = await parts.accounts.listKeys();
    const principal = await parts.accounts.principalOfKey(key!.id);
    const context = { id: "req_1", principal, endpoint: "/v1/audio/speech", method: "POST" };
    const work = parts.meter.open({ ...context, bucket: "characters", ip: null, userAgent: null });
    await work.admit();
    const price = { model: "svc-tts1", priceMicros: 1_000_000 };
    return { request: (index) => work.post({ ...price, quantity: index + 1 }, "early") };
  },
};

test(way, async () => {
  await using harness = await openHarness({ writer: "thread" });
  await (await speak(harness)).bytes(); // engines start
  const { request, end } = await WAYS[way]!(harness);
  for (const index of times.keys()) await request(index);
  await end?.();
  await takes(Number(LOQUAT_IDLE_MS)); // what timers run is counted
}, 240_000);
