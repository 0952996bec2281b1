/** What a request for speech of Deepgram says in its query: the voice, the speed and the encoding. */
import type { ClipFormat } from "../../../audio/formats.ts";
import { Refusal } from "../../../errors.ts";

/** `name`: of a voice or a model; null: none. */
export type SpeechQuery = { name: string | null; speed: number; format: ClipFormat; ignored: string[] };

const USED = ["model", "encoding", "container", "sample_rate", "bit_rate", "speed", "tag"];
const REFUSED = ["callback", "callback_method"];

const RATES = [8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];
const TELEPHONE_RATES = [8000, 16_000];

/** What an encoding may be: the first of each list is its default. `bitrates` null: it has none. */
type Encoding = {
  containers: string[];
  rates: number[];
  bitrates: number[] | { from: number; to: number; usual: number } | null;
  formatIn(container: string): ClipFormat["format"];
};

const ENCODINGS: Record<string, Encoding> = {
  mp3: {
    containers: ["none"],
    rates: [22_050, 24_000, 44_100],
    bitrates: [48_000, 32_000],
    formatIn: () => "mp3",
  },
  linear16: {
    containers: ["wav", "none"],
    rates: [24_000, ...RATES.filter((rate) => rate !== 24_000)],
    bitrates: null,
    formatIn: (container) => (container === "wav" ? "wav" : "pcm"),
  },
  mulaw: {
    containers: ["wav", "none"],
    rates: TELEPHONE_RATES,
    bitrates: null,
    formatIn: (container) => (container === "wav" ? "wav-ulaw" : "ulaw"),
  },
  alaw: {
    containers: ["wav", "none"],
    rates: TELEPHONE_RATES,
    bitrates: null,
    formatIn: (container) => (container === "wav" ? "wav-alaw" : "alaw"),
  },
  opus: {
    containers: ["ogg"],
    rates: [48_000, 24_000, 16_000, 12_000, 8000],
    bitrates: { from: 4000, to: 510_000, usual: 12_000 },
    formatIn: () => "opus",
  },
  flac: {
    containers: ["none"],
    rates: [48_000, ...RATES.filter((rate) => rate !== 48_000)],
    bitrates: null,
    formatIn: () => "flac",
  },
  aac: { containers: ["none"], rates: [24_000], bitrates: [64_000], formatIn: () => "aac" },
};

/** Sockets send samples. */
const ENCODINGS_LIVE: Record<string, Encoding> = Object.fromEntries(
  ["linear16", "mulaw", "alaw"].map((name) => [name, { ...ENCODINGS[name]!, containers: ["none"] }]),
);

export const readSpeechQuery = (query: URLSearchParams): SpeechQuery =>
  readQuery(query, { encodings: ENCODINGS, usual: "mp3" });

export const readLiveQuery = (query: URLSearchParams): SpeechQuery =>
  readQuery(query, { encodings: ENCODINGS_LIVE, usual: "linear16" });

export const unusedIn = (query: URLSearchParams): string[] =>
  [...query.keys()].filter((name) => !USED.includes(name));

type Offered = { encodings: Record<string, Encoding>; usual: string };

function readQuery(query: URLSearchParams, offered: Offered): SpeechQuery {
  const refused = REFUSED.find((name) => query.has(name));
  if (refused) {
    const message = `${refused} is not done here: the answer to the request is the speech. Leave it out.`;
    throw new Refusal("unsupported_parameter", message, { param: refused });
  }
  return {
    name: query.get("model")?.slice(0, 256) || null,
    speed: speedOf(query),
    format: formatOf(query, offered),
    ignored: unusedIn(query),
  };
}

function speedOf(query: URLSearchParams): number {
  const speed = numberOf(query, "speed") ?? 1;
  if (speed >= 0.25 && speed <= 4) return speed;
  throw new Refusal("unsupported_speed", `speed must be from 0.25 to 4, not ${speed}.`, { param: "speed" });
}

function formatOf(query: URLSearchParams, { encodings, usual }: Offered): ClipFormat {
  const name = query.get("encoding")?.toLowerCase() || usual;
  const encoding = Object.hasOwn(encodings, name) ? encodings[name]! : null;
  if (encoding === null) throw wrong("encoding", Object.keys(encodings), name);
  const container = query.get("container")?.toLowerCase() || encoding.containers[0]!;
  if (!encoding.containers.includes(container))
    throw wrong(`container of ${name}`, encoding.containers, container);
  const sampleRate = numberOf(query, "sample_rate") ?? encoding.rates[0]!;
  if (!encoding.rates.includes(sampleRate)) throw wrong(`sample_rate of ${name}`, encoding.rates, sampleRate);
  const format = encoding.formatIn(container);
  const bitrate = bitrateOf(query, name, encoding);
  return { format, sampleRate, ...(bitrate === null ? {} : { bitrate }) };
}

/** Null: the encoding has none. */
function bitrateOf(query: URLSearchParams, name: string, { bitrates }: Encoding): number | null {
  const asked = numberOf(query, "bit_rate");
  if (bitrates === null) {
    if (asked === null) return null;
    throw wrong(`bit_rate of ${name}`, ["none"], asked);
  }
  if (Array.isArray(bitrates)) {
    if (asked === null || bitrates.includes(asked)) return asked ?? bitrates[0]!;
    throw wrong(`bit_rate of ${name}`, bitrates, asked);
  }
  const { from, to, usual } = bitrates;
  if (asked === null || (asked >= from && asked <= to)) return asked ?? usual;
  throw wrong(`bit_rate of ${name}`, [`${from} to ${to}`], asked);
}

/** Null: it was not sent. */
function numberOf(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null || text === "") return null;
  const value = Number(text);
  if (Number.isFinite(value)) return value;
  throw new Refusal("unsupported_parameter", `${name} must be a number, not ${text.slice(0, 100)}.`, {
    param: name,
  });
}

function wrong(what: string, accepted: readonly (string | number)[], given: string | number): Refusal {
  const message = `The ${what} must be ${accepted.join(", ")}, not ${String(given).slice(0, 100)}.`;
  return new Refusal("unsupported_response_format", message, { param: what.split(" ")[0]! });
}
