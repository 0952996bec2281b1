/** Promise: no frame on a live session's socket makes the server fail, hang or work for long. */
import { expect, test } from "bun:test";
import { type Client, dial, MANUAL, scriptedLive } from "../api/v1/realtime/live.ts";
import { openHarness } from "../harness.ts";
import { soon } from "./promptly.ts";
import { type Chance, FUZZ_TIMEOUT_MS, fuzz } from "./random.ts";
import { sent, vary } from "./values.ts";

const audio = Buffer.alloc(480).toString("base64");
const EVENTS = [
  { type: "session.update", session: { type: "transcription", audio: { input: { turn_detection: null } } } },
  { type: "session.update", session: { type: "realtime", model: "svc-stt1", voice: "x", tools: [{}] } },
  { type: "transcription_session.update", session: { input_audio_format: "pcm16", turn_detection: null } },
  { type: "input_audio_buffer.append", audio },
  { type: "input_audio_buffer.append", audio, event_id: "one" },
  { type: "input_audio_buffer.commit" },
  { type: "input_audio_buffer.clear" },
  { type: "conversation.item.retrieve", item_id: "item_1" },
  { type: "conversation.item.delete", item_id: "item_1" },
  { type: "output_audio_buffer.clear" },
];

/** Text nearly always; at times bytes, or audio of a size that is not parsed. */
function frameOf(chance: Chance): string | Buffer {
  if (chance.once(20)) {
    const large = "A".repeat(100_000 + chance.below(400_000));
    const damaged = chance.pick(["", '"', "}", "§", "\\", "\\u0041", "="]);
    return `{"type":"input_audio_buffer.append","audio":"${large}${damaged}"}`;
  }
  const event = chance.pick(EVENTS);
  const frame = chance.once(2) ? Buffer.from(JSON.stringify(event)) : sent(vary(event, chance), chance);
  return chance.once(30) ? frame : frame.toString();
}

const LAST = "last";
const errorsOf = ({ events }: Client) =>
  events.flatMap(({ type, error }) =>
    type === "error" ? [error as { type: string; event_id: string }] : [],
  );

/** Frames are done in their order: all were, where the last one was told that there is no such item. */
async function answeredOrClosed(client: Client): Promise<void> {
  for (let count = 1; ; count++) {
    const isOpen = await client.until("error", count).then(
      () => true,
      () => false,
    );
    if (!isOpen || errorsOf(client).some(({ event_id }) => event_id === LAST)) return;
  }
}

test(
  "no damaged frame makes a live session fail",
  async () => {
    await using harness = await openHarness({ services: { live: scriptedLive().live } });
    const cases = await fuzz(async (chance) => {
      const frames = Array.from({ length: 1 + chance.below(8) }, () => frameOf(chance));
      await soon(async () => {
        const client = await dial(harness);
        await client.until("created");
        if (chance.once(2)) client.update(MANUAL);
        for (const frame of frames) client.socket.send(frame as string);
        client.send("conversation.item.retrieve", { event_id: LAST, item_id: "none" });
        await answeredOrClosed(client);
        client.close();
        const { code } = await client.closed;
        expect([1000, 1005, 1008, 1009]).toContain(code);
        expect(errorsOf(client).filter(({ type }) => type === "api_error")).toEqual([]);
      });
    });
    expect(cases).toBeGreaterThan(0);
    expect(harness.logged.filter(({ level }) => level === "error")).toEqual([]);
    expect((await harness.ask("/healthz")).status).toBe(200);
  },
  FUZZ_TIMEOUT_MS,
);
