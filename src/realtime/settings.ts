/**
 * Session settings: defaults, updates, and the session object in the current and the beta format.
 *
 *   update ──deep merge: what is absent stays, null clears──> settings ──> { audio: { input: … } }   the current shape
 *                                                                     └──> { input_audio_format … }  the beta's
 */
import type { LiveFormat } from "../engine/protocol/live-format.ts";
import type { TurnRules } from "./endpointing.ts";

type ServerVad = {
  type: "server_vad";
  threshold: number;
  prefix_padding_ms: number;
  silence_duration_ms: number;
  idle_timeout_ms?: number | null | undefined;
};
export const EAGERNESS = ["low", "medium", "high", "auto"] as const;
type SemanticVad = { type: "semantic_vad"; eagerness: (typeof EAGERNESS)[number] };
/**
 * Of dialects: a turn ends once it is over with the probability `threshold`, or at the latest after `timeoutMs`.
 * `silenceMs`: after which it ends where no turn detector answers; null: never.
 */
export type ProbableEnd = {
  type: "probable_end";
  threshold: number;
  silenceMs: number | null;
  timeoutMs: number;
};
type TurnDetection = ServerVad | SemanticVad | ProbableEnd;

/** `model` null: the first that supports realtime. */
type Transcription = {
  model: string | null;
  language: string | null;
  languages?: string[] | null;
  prompt: string;
  keywords?: string[] | null;
} & Record<string, unknown>;

/** Kept and told, without effect: nothing here reduces noise. `strength`: 0 to 1. */
type NoiseReduction = { type?: "near_field" | "far_field"; strength?: number };

export type Settings = {
  format: LiveFormat;
  transcription: Transcription;
  noiseReduction: NoiseReduction | null;
  turnDetection: TurnDetection | null;
  include: string[] | null;
  /** Text that may still change is told too. */
  interim: boolean;
};

/** Only what an update names. */
export type Change = {
  format?: LiveFormat;
  transcription?: Partial<Transcription>;
  noiseReduction?: NoiseReduction | null;
  turnDetection?: (Partial<ServerVad> | Partial<SemanticVad>) | null;
  include?: string[] | null;
  interim?: boolean;
};

const LOGPROBS = "item.input_audio_transcription.logprobs";

export const asksLogprobs = ({ include }: Pick<Settings, "include">): boolean =>
  include?.includes(LOGPROBS) ?? false;

const SERVER_VAD: ServerVad = {
  type: "server_vad",
  threshold: 0.5,
  prefix_padding_ms: 300,
  silence_duration_ms: 500,
};
const SEMANTIC_VAD: SemanticVad = { type: "semantic_vad", eagerness: "auto" };

export const DEFAULTS: Settings = {
  format: { type: "audio/pcm", rate: 24_000 },
  transcription: { model: null, language: null, prompt: "" },
  noiseReduction: null,
  turnDetection: SERVER_VAD,
  include: null,
  interim: false,
};

export function changed(settings: Settings, change: Change): Settings {
  const { turnDetection, transcription, noiseReduction, ...rest } = change;
  return {
    ...settings,
    ...rest,
    transcription: { ...settings.transcription, ...transcription },
    noiseReduction:
      noiseReduction === undefined
        ? settings.noiseReduction
        : noiseReduction && { ...settings.noiseReduction, ...noiseReduction },
    turnDetection:
      turnDetection === undefined
        ? settings.turnDetection
        : mergeTurns(settings.turnDetection, turnDetection),
  };
}

/** Another type starts from its own defaults. */
function mergeTurns(
  current: TurnDetection | null,
  change: NonNullable<Change["turnDetection"]> | null,
): TurnDetection | null {
  if (change === null) return null;
  const type = change.type ?? current?.type ?? "server_vad";
  const base = current?.type === type ? current : type === "server_vad" ? SERVER_VAD : SEMANTIC_VAD;
  return { ...base, ...change } as TurnDetection;
}

/**
 * Timings per eagerness: the silence that ends a turn of which no turn detector knows whether it is complete, and the
 * longest wait for one that is not, or that ends in unclear audio. OpenAI documents the latter.
 */
const EAGER: Record<SemanticVad["eagerness"], { silenceMs: number; forceMs: number }> = {
  low: { silenceMs: 1500, forceMs: 8000 },
  medium: { silenceMs: 800, forceMs: 4000 },
  high: { silenceMs: 400, forceMs: 2000 },
  auto: { silenceMs: 800, forceMs: 4000 },
};

/** Null: the client commits turns itself. */
export function turnRules({ turnDetection }: Settings): (TurnRules & { prefixMs: number }) | null {
  if (turnDetection === null) return null;
  const { threshold, prefix_padding_ms: prefixMs } = SERVER_VAD;
  if (turnDetection.type === "probable_end")
    return {
      ...{ threshold, prefixMs, idleMs: null, forceMs: turnDetection.timeoutMs },
      silenceMs: turnDetection.silenceMs ?? Number.POSITIVE_INFINITY,
    };
  if (turnDetection.type === "semantic_vad")
    return { threshold, prefixMs, idleMs: null, ...EAGER[turnDetection.eagerness] };
  return {
    threshold: turnDetection.threshold,
    prefixMs: turnDetection.prefix_padding_ms,
    silenceMs: turnDetection.silence_duration_ms,
    idleMs: turnDetection.idle_timeout_ms ?? null,
    forceMs: null,
  };
}

/** A turn detector is asked. */
export const isSemantic = ({ turnDetection }: Settings): boolean =>
  turnDetection !== null && turnDetection.type !== "server_vad";

const FINISHED = 0.5;

/** Whether a turn that is over with this probability counts as finished. A threshold of 1 is never reached. */
export function isFinished({ turnDetection }: Settings, probability: number): boolean {
  if (turnDetection?.type !== "probable_end") return probability > FINISHED;
  const { threshold } = turnDetection;
  return threshold < 1 && probability >= threshold;
}

/** `intent`: opened with intent=transcription, which the beta reflects in its object names. */
export type Shape = { beta: boolean; intent: boolean };
type Identity = { id: string; expiresAt: number };

export function sessionObject(
  settings: Settings,
  { id, expiresAt }: Identity,
  { beta, intent }: Shape,
): object {
  const { format, transcription, noiseReduction, turnDetection, include, interim } = settings;
  const own = interim ? { loquat: { interim } } : {}; // of those who ask
  if (beta)
    return {
      id,
      object: intent ? "realtime.transcription_session" : "realtime.session",
      expires_at: expiresAt,
      modalities: ["text"],
      input_audio_format: betaFormat(format),
      input_audio_transcription: transcription,
      turn_detection: turnDetection,
      input_audio_noise_reduction: noiseReduction,
      include: include ?? [],
      ...own,
    };
  return {
    type: "transcription",
    object: "realtime.transcription_session",
    id,
    expires_at: expiresAt,
    audio: {
      input: {
        format,
        transcription,
        noise_reduction: noiseReduction,
        turn_detection: turnDetection,
      },
    },
    include,
    ...own,
  };
}

/** The beta's names of formats. */
export const BETA_FORMATS = {
  pcm16: "audio/pcm",
  g711_ulaw: "audio/pcmu",
  g711_alaw: "audio/pcma",
} as const satisfies Record<string, LiveFormat["type"]>;

type BetaFormat = keyof typeof BETA_FORMATS;

export const betaFormat = ({ type }: Pick<LiveFormat, "type">): BetaFormat =>
  Object.entries(BETA_FORMATS).find(([, current]) => current === type)![0] as BetaFormat;
