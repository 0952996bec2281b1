/** The message Configure of a stream of Flux: all of it is changed, or nothing. */
import Type from "typebox";
import { invalidInput, Refusal } from "../../../errors.ts";
import { checker } from "../../../schema.ts";
import { priceOf, recognizerOf } from "../../v1/realtime/settings-schema.ts";
import type { Begun } from "../live-session.ts";
import { unsupported } from "../query.ts";
import type { FluxFront } from "./flux-front.ts";
import {
  checkedThresholds,
  DEFAULTS,
  type FluxOptions,
  type FluxRequest,
  liveRequest,
  RANGES,
  type Thresholds,
  turnsOf,
} from "./flux-query.ts";
import { KEYTERMS_MAX } from "./listen-frames.ts";

const within = ({ min, max }: { min: number; max: number }) =>
  Type.Optional(Type.Union([Type.Number({ minimum: min, maximum: max }), Type.Null()]));
const terms = Type.Array(Type.String({ maxLength: KEYTERMS_MAX }), { maxItems: KEYTERMS_MAX });
const absent = <S extends Type.TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));

/** Null in a threshold: its default. Other fields that are null are absent. */
const message = checker(
  Type.Object({
    thresholds: absent(
      Type.Object({
        eot_threshold: within(RANGES.eot_threshold),
        eager_eot_threshold: within(RANGES.eager_eot_threshold),
        eot_timeout_ms: within(RANGES.eot_timeout_ms),
      }),
    ),
    keyterms: absent(Type.Union([terms, Type.String({ maxLength: KEYTERMS_MAX })])),
    language_hints: absent(terms),
    profanity_filter: absent(Type.Boolean()),
    numerals: Type.Optional(Type.Unknown()),
  }),
);

/** Answers with what is in force, or why nothing was changed. Returns the request as it is then. */
export async function configure(
  begun: Begun<FluxFront>,
  request: FluxRequest,
  fields: Record<string, unknown>,
): Promise<FluxRequest> {
  const { runner, front } = begun;
  try {
    const options = changedBy(request, fields);
    const changed = { ...request, options };
    await apply(begun, changed);
    runner.step(() => front.tell({ type: "ConfigureSuccess", ...inForce(options) }));
    return changed;
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    const { code, message: description } = refusal;
    const failure = { type: "ConfigureFailure", error_code: code.toUpperCase(), description };
    runner.step(() => front.tell(failure));
    return request;
  }
}

function changedBy({ isEnglish, options }: FluxRequest, fields: Record<string, unknown>): FluxOptions {
  const { value, details } = message.check(fields);
  if (details !== null) throw invalidInput(details);
  const { thresholds, keyterms, language_hints: hints, profanity_filter: filters } = value;
  if (filters) throw unsupported("profanity_filter", "nothing is removed from a transcript.");
  if (isEnglish && hints && hints.length > 0)
    throw unsupported("language_hints", "the model of this stream has one language.");
  return {
    thresholds: checkedThresholds(thresholdsBy(options.thresholds, thresholds ?? {})),
    keyterms: keyterms ? [keyterms].flat() : options.keyterms,
    hints: hints ?? options.hints,
  };
}

type Named = { [Name in keyof typeof RANGES]?: number | null };

function thresholdsBy(present: Thresholds, named: Named): Thresholds {
  const either = <T>(given: number | null | undefined, usual: T, now: number | T): number | T =>
    given === undefined ? now : (given ?? usual);
  return {
    eot: either(named.eot_threshold, DEFAULTS.eot, present.eot),
    eager: either(named.eager_eot_threshold, DEFAULTS.eager, present.eager),
    timeoutMs: either(named.eot_timeout_ms, DEFAULTS.timeoutMs, present.timeoutMs),
  };
}

async function apply(begun: Begun<FluxFront>, changed: FluxRequest): Promise<void> {
  const { session, runner, billing } = begun;
  const { hints, keyterms, thresholds } = changed.options;
  const { chosen, keywords } = begun.choose({ ...liveRequest(changed), format: begun.settings.format });
  if (keyterms.length > 0 && keywords.length === 0)
    throw unsupported("keyterms", "the model of this stream prefers no words.");
  const { transcription } = begun.settings;
  const language = hints.length === 1 ? hints[0]! : transcription.language;
  begun.settings = {
    ...begun.settings,
    transcription: { ...transcription, language, languages: [...hints], keywords },
    turnDetection: turnsOf(thresholds),
  };
  await billing.change(priceOf(chosen), session.billableSeconds(false));
  begun.chosen = chosen;
  runner.recognizer = recognizerOf(chosen, begun.settings);
  runner.perform(session.update(begun.settings, chosen.assumedLanguage, ""));
}

const inForce = ({ thresholds, keyterms, hints }: FluxOptions) => ({
  thresholds: {
    eot_threshold: thresholds.eot,
    ...(thresholds.eager === null ? {} : { eager_eot_threshold: thresholds.eager }),
    eot_timeout_ms: thresholds.timeoutMs,
  },
  keyterms,
  ...(hints.length > 0 ? { language_hints: hints } : {}),
});
