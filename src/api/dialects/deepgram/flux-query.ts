/** The query of /v2/listen: what is heard, in which languages, and how sure it must be that a turn is over. */
import { invalidInput } from "../../../errors.ts";
import { languageHint } from "../../../language-tag.ts";
import type { LiveRequest, Turns } from "../live-session.ts";
import { type Query, unsupported } from "../query.ts";
import type { RawAudio } from "../raw-audio.ts";
import { formatAtFirst, layoutIn } from "./listen-frames.ts";
import { REFUSED } from "./listen-query.ts";

/** What may change while the stream goes on. `eager` null: EagerEndOfTurn is not told. */
export type Thresholds = { eot: number; eager: number | null; timeoutMs: number };

export type FluxOptions = { thresholds: Thresholds; keyterms: readonly string[]; hints: readonly string[] };

/** `isEnglish`: its model has one language. `ignored`: what has no effect. */
export type FluxRequest = {
  model: string | null;
  isEnglish: boolean;
  layout: RawAudio | null;
  options: FluxOptions;
  ignored: string[];
};

export const RANGES = {
  eot_threshold: { min: 0.5, max: 1 },
  eager_eot_threshold: { min: 0.3, max: 0.9 },
  eot_timeout_ms: { min: 500, max: 60_000 },
} as const;
export const DEFAULTS: Thresholds = { eot: 0.7, eager: null, timeoutMs: 5000 };

const ENGLISH = "flux-general-en";
const BY_HINT = "the languages of a turn are named by language_hint.";
const REFUSED_HERE = { ...REFUSED, language: BY_HINT, detect_language: BY_HINT };
const USED = new Set([
  ...["model", "encoding", "sample_rate", "channels", "keyterm", "language_hint", "tag"],
  ...Object.keys(RANGES),
]);

export function readFluxQuery(query: Query): FluxRequest {
  query.refuse(REFUSED_HERE);
  const model = query.text("model");
  const isEnglish = model === ENGLISH;
  const hints = query.list("language_hint");
  if (isEnglish && hints.length > 0) throw unsupported("language_hint", `${ENGLISH} has one language.`);
  const thresholds = checkedThresholds({
    eot: query.number("eot_threshold", RANGES.eot_threshold) ?? DEFAULTS.eot,
    eager: query.number("eager_eot_threshold", RANGES.eager_eot_threshold),
    timeoutMs: query.whole("eot_timeout_ms", RANGES.eot_timeout_ms) ?? DEFAULTS.timeoutMs,
  });
  return {
    ...{ model, isEnglish, layout: layoutIn(query) },
    options: { thresholds, keyterms: query.list("keyterm"), hints },
    ignored: query.names().filter((name) => !USED.has(name) && query.asks(name)),
  };
}

export function checkedThresholds(thresholds: Thresholds): Thresholds {
  const { eager, eot } = thresholds;
  if (eager === null || eager <= eot) return thresholds;
  const message = `must be at most eot_threshold, which is ${eot}`;
  throw invalidInput([{ field: "eager_eot_threshold", code: "out_of_range", message }]);
}

/** Its turns are Flux's; several hints are languages to choose from. */
export function liveRequest({ model, isEnglish, layout, options }: FluxRequest): LiveRequest {
  const { thresholds, keyterms, hints } = options;
  const language = isEnglish ? "en" : hints.length === 1 ? languageHint(hints[0]!) : null;
  return {
    ...{ model, language, languages: hints.length > 1 ? hints : [], keywords: keyterms },
    ...{ format: formatAtFirst(layout), turns: turnsOf(thresholds) },
  };
}

/** A silence of a second counts as certain where no turn detector answers. */
export const turnsOf = ({ eot, timeoutMs }: Thresholds): Turns => ({
  ...{ type: "probable_end", threshold: eot, timeoutMs },
  silenceMs: eot < 1 ? eot * CERTAIN_MS : null,
});

export const CERTAIN_MS = 1000;
