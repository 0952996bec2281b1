/**
 * A session's settings as clients send them, in a `session.update` or to create a client secret: nested, or flat as in
 * the beta, or both. Fields of speech-to-speech sessions (voice, tools, instructions) are ignored.
 */

import Type, { type TSchema } from "typebox";
import type { LiveFormat } from "../../../engine/protocol/live-format.ts";
import { invalidInput } from "../../../errors.ts";
import { PROMPT_CHARACTERS_MAX } from "../../../metered/request-limits.ts";
import { aliasName } from "../../../models/aliases.ts";
import { type Catalogue, isStt } from "../../../models/catalogue.ts";
import { type ChosenRecognition, chooseRealtime } from "../../../models/choose.ts";
import type { Recognizer } from "../../../realtime/session-runner.ts";
import {
  BETA_FORMATS,
  type Change,
  changed,
  DEFAULTS,
  EAGERNESS,
  type Settings,
} from "../../../realtime/settings.ts";
import { checker } from "../../../schema.ts";

/**
 * The settings of an update. `model` must be in the catalogue; `hint` is used only if it is. `transcribes`: the client
 * asks for a session that only transcribes.
 */
export type Update = { change: Change; model: string | null; hint: string | null; transcribes: boolean };

export const nullable = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));
const name = nullable(Type.String({ maxLength: 256 }));
const texts = nullable(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 }));
const flag = nullable(Type.Boolean());
/** What would be transcribed wrongly if it were ignored. */
const only = (value: number) => nullable(Type.Integer({ minimum: value, maximum: value }));
const ms = (minimum: number, maximum: number) => nullable(Type.Integer({ minimum, maximum }));

const G711_RATE = 8000;

export const formatSchema = nullable(
  Type.Object({
    type: Type.Enum(["audio/pcm", "audio/pcmu", "audio/pcma"]),
    rate: nullable(Type.Integer({ minimum: 8000, maximum: 48_000 })),
    ...{ channels: only(1), bits_per_sample: only(16), bit_depth: only(16), sample_width: only(2) },
    sample_rate: nullable(Type.Integer({ minimum: 8000, maximum: 48_000 })),
  }),
);
const transcription = nullable(
  Type.Object({
    model: name,
    language: name,
    prompt: nullable(Type.String({ maxLength: PROMPT_CHARACTERS_MAX })),
    languages: texts,
    keywords: nullable(
      Type.Array(Type.String({ maxLength: 100, pattern: "^[^<>\\r\\n]*$" }), { maxItems: 100 }),
    ),
    delay: nullable(Type.Enum(["minimal", "low", "medium", "high", "xhigh"])),
  }),
);
const noiseReduction = nullable(
  Type.Object({
    type: nullable(Type.Enum(["near_field", "far_field"])),
    strength: nullable(Type.Number({ minimum: 0, maximum: 1 })),
  }),
);
const turnDetection = nullable(
  Type.Object({
    type: nullable(Type.Enum(["server_vad", "semantic_vad"])),
    threshold: nullable(Type.Number({ minimum: 0, maximum: 1 })),
    prefix_padding_ms: ms(0, 30_000), // all of it is kept, of every session
    silence_duration_ms: ms(0, 600_000),
    idle_timeout_ms: ms(5000, 30_000),
    eagerness: nullable(Type.Enum([...EAGERNESS])),
    create_response: flag, // of sessions that answer: kept, and without effect
    interrupt_response: flag,
  }),
);
const input = nullable(
  Type.Object({
    format: formatSchema,
    transcription,
    noise_reduction: noiseReduction,
    turn_detection: turnDetection,
  }),
);

export const betaFormatSchema = nullable(Type.Enum(["pcm16", "g711_ulaw", "g711_alaw"]));

export const sessionSchema = Type.Object({
  type: name,
  model: name,
  metadata: Type.Optional(Type.Unknown()), // its label is read as that of other requests
  include: nullable(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 10 })),
  audio: nullable(Type.Object({ input })),
  input_audio_format: betaFormatSchema,
  input_audio_transcription: transcription,
  input_audio_noise_reduction: noiseReduction,
  turn_detection: turnDetection,
});

const transcribing = Type.Object({
  ...sessionSchema.properties,
  loquat: nullable(Type.Object({ interim: flag })),
});

const body = checker(Type.Object({ session: transcribing }));

/** Reads `{ session: … }` and keeps the fields that are supported. */
export function readSession(value: unknown): Type.Static<typeof transcribing> {
  const { value: checked, details } = body.check(value);
  if (details !== null) throw invalidInput(details);
  return body.clean(checked).session;
}

export function readUpdate(value: unknown): Update {
  const session = readSession(value);
  const { change, ...update } = updateOf(session);
  const interim = session.loquat?.interim ?? undefined;
  return { ...update, change: { ...change, ...defined({ interim }) } };
}

export function updateOf(session: Session): Update {
  const nested = session.audio?.input ?? {};
  const input = { ...flat(session), ...defined(nested) };
  const { model, prompt, ...transcribing } = input.transcription ?? {};
  const change = defined({
    format: input.format ? readFormat(input.format) : undefined,
    transcription: defined({ ...transcribing, prompt: prompt ?? undefined }),
    noiseReduction: input.noise_reduction && defined(input.noise_reduction),
    turnDetection: input.turn_detection && readTurns(input.turn_detection),
    include: session.include,
  }) as Change;
  const transcribes = session.type === "transcription";
  const named = transcribes ? (session.model ?? model) : session.model;
  return { change, model: named ?? null, hint: transcribes ? null : (model ?? null), transcribes };
}

type Session = Type.Static<typeof sessionSchema>;

/** The beta's names. */
function flat(beta: Session) {
  const { input_audio_format: name } = beta;
  return defined({
    format: name ? { type: BETA_FORMATS[name], rate: null } : undefined,
    transcription: beta.input_audio_transcription,
    noise_reduction: beta.input_audio_noise_reduction,
    turn_detection: beta.turn_detection,
  });
}

/** `field`: where it stands in the event. */
export function readFormat(
  audio: NonNullable<Type.Static<typeof formatSchema>>,
  field = "session.audio.input.format",
): LiveFormat {
  const { type } = audio;
  const rate = audio.rate ?? audio.sample_rate;
  if (type === "audio/pcm") return { type, rate: rate ?? 24_000 };
  if (rate == null || rate === G711_RATE) return { type };
  const message = `must be ${G711_RATE} for ${type}`;
  throw invalidInput([{ field: `${field}.rate`, code: "malformed", message }]);
}

/** Null leaves a number as it is, but for the time-out, which it switches off. */
function readTurns(turns: NonNullable<Type.Static<typeof turnDetection>>): Change["turnDetection"] {
  const { idle_timeout_ms: idle, eagerness, ...rest } = turns;
  const known = Object.fromEntries(Object.entries(rest).filter(([, value]) => value != null));
  if (known.type === "semantic_vad" || (known.type === undefined && eagerness != null))
    return { type: "semantic_vad", ...(eagerness == null ? {} : { eagerness }) };
  return { ...known, ...(idle === undefined ? {} : { idle_timeout_ms: idle }) };
}

/** Without what is undefined. */
type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** OpenAI's live models, which detect no turns: their clients do, and some end at the first refused commit. */
const COMMITTED_BY_CLIENTS = ["gpt-live-transcribe", "gpt-realtime-whisper"];

const isCommittedByClient = ({ names }: Catalogue, model: string | null): boolean =>
  model !== null && COMMITTED_BY_CLIENTS.includes(aliasName(model)) && names.model(model) !== null;

/** Whether the model that an update names has a name of another API; null where it names none. */
export function isOfOthers({ names }: Catalogue, { model, hint }: Update): boolean | null {
  const name = model ?? hint;
  return name === null ? null : names.model(name) !== null || names.session(name) !== null;
}

/** The settings after an update, and the engine for them. Throws if the catalogue has none. */
export function resolveSettings(
  catalogue: Catalogue,
  settings: Settings,
  { change, model, hint, transcribes }: Update,
): { settings: Settings; chosen: ChosenRecognition } {
  const next = changed(settings, change);
  const isUnset = next.turnDetection === DEFAULTS.turnDetection;
  if (isUnset && isCommittedByClient(catalogue, model ?? hint)) next.turnDetection = null;
  const entry = hint === null ? null : catalogue.find(hint);
  const requested = model ?? (entry && isStt(entry) ? entry.id : next.transcription.model);
  const { language, languages, keywords } = next.transcription;
  const chosen = chooseRealtime(catalogue, {
    ...{ model: requested, language, transcribes },
    languages: languages ?? [],
    keywords: (keywords ?? []).length > 0,
  });
  next.transcription = { ...next.transcription, model: chosen.model };
  return { settings: next, chosen };
}

/** The recognizer, from the chosen engine and the client's settings. */
export const recognizerOf = (
  { engine, language, languages }: ChosenRecognition,
  { transcription }: Settings,
): Recognizer => ({
  engine,
  language,
  languages,
  prompt: transcription.prompt,
  keywords: transcription.keywords ?? [],
});

export const priceOf = ({ model, manifest }: ChosenRecognition) => ({
  model,
  priceMicros: manifest.price_micros,
});
