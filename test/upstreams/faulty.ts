/**
 * Servers of speech that answer a share of their requests wrongly, and callers that count what reaches them: for the
 * promise that every request is charged for what was delivered.
 *
 *   plan      s0 ─────── pause  s1 ──── pause  s2 ─────────
 *   received  ██████████████████████████████████▌               s0 and s1 were delivered, s2 was not
 */
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { type PlannedSegment, planSpeech } from "../../src/speech/plan.ts";
import { takes } from "../until.ts";
import { begin, openStandIn, type Reply, respond, type StandIn, stream, tone } from "./stand-in.ts";

const SENTENCES = [
  "The harbour lights came on one by one while the last boats turned for home.",
  "Nobody had told the baker that the street would be closed until noon.",
  "She folded the map twice and put it under the lamp to keep it flat.",
  "A narrow path led past the orchard to a gate that no longer closed, and beyond it the meadow began again.",
  "The train was late again, so they walked along the river and talked about the winter, which had been long.",
];

/** Three or four segments. */
const inputOf = (turn: number): string =>
  Array.from({ length: 4 }, (_, index) => SENTENCES[(turn + index * 2) % SENTENCES.length]).join(" ");

/** Longer texts are longer clips. */
const secondsOf = (text: string): number => 0.25 + Math.round(text.length / 4) / 100;

const clipOf = (text: string): Uint8Array => tone(secondsOf(text));

/** A clip in parts of 50 ms. */
function partsOf(clip: Uint8Array): Uint8Array[] {
  const size = TTS_SAMPLE_RATE / 10;
  return Array.from({ length: Math.ceil(clip.length / size) }, (_, at) =>
    clip.subarray(at * size, (at + 1) * size),
  );
}

type Fault = (reply: Reply, clip: Uint8Array) => void | Promise<void>;

const FAULTS: Record<string, Fault> = {
  reset: (reply) => reply.reset(),
  stall: () => {},
  "wrong content": (reply) => respond(reply, 200, { body: '{"error":"out of memory"}' }),
  async slow(reply, clip) {
    begin(reply, []);
    for (const part of partsOf(clip)) {
      await takes(20);
      reply.chunk(part);
    }
    reply.send("0\r\n\r\n");
    reply.end();
  },
  "lying length": (reply, clip) => {
    const size = 2 * clip.length;
    reply.send(
      `HTTP/1.1 200 OK\r\ncontent-type: audio/pcm\r\ncontent-length: ${size}\r\nconnection: close\r\n\r\n`,
    );
    reply.send(clip);
    reply.end();
  },
  "429": (reply) => respond(reply, 429, { "retry-after": "1" }),
  "500": (reply) => respond(reply, 500),
  async "death in the middle"(reply, clip) {
    begin(reply, partsOf(clip.subarray(0, clip.length / 2 + 1)));
    await takes(20);
    reply.reset();
  },
  "stall in the middle": (reply, clip) => begin(reply, partsOf(clip.subarray(0, clip.length / 2 + 1))),
};

type FaultyOptions = { share: number; random: () => number };

/** Also answers a list of one model. `counts`: how often each fault was made. */
export function openFaulty({ share, random }: FaultyOptions): StandIn & { counts: Map<string, number> } {
  const counts = new Map<string, number>();
  const standIn = openStandIn(({ path, body }, reply) => {
    if (path.endsWith("/models")) return respond(reply, 200, { body: '{"data":[{"id":"acme"}]}' });
    const clip = clipOf((JSON.parse(body) as { input: string }).input);
    if (random() >= share) return stream(reply, partsOf(clip));
    const names = Object.keys(FAULTS);
    const name = names[Math.floor(random() * names.length)]!;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return FAULTS[name]!(reply, clip);
  });
  return Object.assign(standIn, { counts });
}

/** How soon an upstream gives a stalled server up. */
export const TIMEOUTS = { first_byte_ms: 1000, between_bytes_ms: 1000, whole_ms: 10_000 };

export type Target = { url: string; key: string };

/** `characters`: those of the segments that arrived in full. `kind`: how it was asked. */
export type Received = { id: string; kind: Kind; status: number; characters: number; isWhole: boolean };

const KINDS = ["samples", "events", "file"] as const;
type Kind = (typeof KINDS)[number];

const FIELDS: Record<Kind, object> = {
  samples: { response_format: "pcm", stream: true },
  events: { response_format: "pcm", stream_format: "sse" },
  file: { response_format: "pcm" },
};

export async function ask({ url, key }: Target, turn: number): Promise<Received> {
  const kind = KINDS[turn % KINDS.length]!;
  const input = inputOf(turn);
  const response = await fetch(`${url}/v1/audio/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "acme-tts", voice: "acme-voice", input, ...FIELDS[kind] }),
  });
  const id = response.headers.get("x-request-id")!;
  const { bytes, isWhole } = await received(response);
  const isAudio = response.status === 200;
  const sizeBytes = !isAudio ? 0 : kind === "events" ? audioBytesIn(bytes) : bytes.length;
  const all = [...input].length;
  const ofFile = isAudio && isWhole ? all : 0; // all or nothing
  const characters = kind === "file" ? ofFile : deliveredCharacters(input, sizeBytes / 2);
  const isComplete = isAudio && isWhole && characters === all;
  return { id, kind, status: response.status, characters, isWhole: isComplete };
}

/** What arrives until the body ends or breaks. */
async function received(response: Response): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk);
    return { bytes: Buffer.concat(chunks), isWhole: true };
  } catch {
    return { bytes: Buffer.concat(chunks), isWhole: false };
  }
}

function audioBytesIn(events: Uint8Array): number {
  const deltas = new TextDecoder().decode(events).matchAll(/"audio":"([^"]*)"/g);
  return [...deltas].reduce((sum, [, audio]) => sum + Buffer.from(audio!, "base64").length, 0);
}

/** The characters of the segments that so many samples hold in full. */
function deliveredCharacters(input: string, sampleCount: number): number {
  const plan = planSpeech(input, "en", "streamed");
  let end = 0;
  let [delivered, planned] = [0, 0];
  for (const segment of plan) {
    end += samplesOf(segment);
    planned += segment.text.length;
    if (end <= sampleCount) delivered += segment.text.length;
    end += Math.round((segment.pauseMs * TTS_SAMPLE_RATE) / 1000);
  }
  return Math.floor(([...input].length * delivered) / planned);
}

const samplesOf = ({ text }: PlannedSegment): number => clipOf(text).length / 2;
