/** The voice of a model that a request names: by id, alias or display name, or several of them as a blend. */
import { Refusal } from "../errors.ts";
import { didYouMean } from "../nearest-name.ts";
import { BLEND_PARTS_MAX, type BlendPart, isBlend, parseBlend, sharesOf } from "./blend.ts";
import { type Catalogue, isTts } from "./catalogue.ts";
import { voiceNamed } from "./client-names.ts";
import type { TtsManifest, Voice } from "./manifest.ts";

/** `blend`: several speakers of the engine instead of its own. */
export type SpokenVoice = Voice & { blend?: BlendPart[] };

/** How an engine is asked for it. */
export const speakerOf = ({ speaker, blend }: SpokenVoice) => ({ speaker, ...(blend ? { blend } : {}) });

/** `id`: as refusals name the model. */
type VoiceChoice = { id: string; manifest: TtsManifest; requested: string };

export function chooseVoice(catalogue: Catalogue, choice: VoiceChoice): SpokenVoice {
  const { id, manifest, requested } = choice;
  const bound = voiceIn(catalogue, manifest, requested);
  if (bound) {
    catalogue.permits?.checkVoice(bound.id);
    return bound;
  }
  if (isBlend(requested)) return chooseBlend(catalogue, choice);
  const isRequested = (voice: Voice) => voice.id === requested || voice.aliases.includes(requested);
  const accepted = `${id} speaks with ${manifest.voices.map((voice) => voice.id).join(", ")}.`;
  if (catalogue.voices.some(isRequested) || catalogue.names.voice(requested, catalogue.voices))
    throw new Refusal("voice_not_supported", `${requested} does not belong to ${id}. ${accepted}`, {
      param: "voice",
    });
  const namesake = voiceNamed(requested, manifest.voices);
  const hint = namesake
    ? ` The id of ${namesake.name} is ${namesake.id}.`
    : didYouMean(requested, namesOf(catalogue, manifest.voices));
  throw new Refusal("invalid_voice", `There is no voice ${requested}.${hint} ${accepted}`, {
    param: "voice",
  });
}

const namesOf = ({ names }: Catalogue, voices: readonly Voice[]): string[] => [
  ...voices.flatMap(({ id, aliases }) => [id, ...aliases]),
  ...names.voiceNames(voices),
];

const voiceIn = ({ names }: Catalogue, { voices }: TtsManifest, requested: string): Voice | null =>
  voices.find(({ id, aliases }) => id === requested || aliases.includes(requested)) ??
  names.voice(requested, voices);

/** Of one voice alone, it is that voice. */
function chooseBlend(catalogue: Catalogue, { id, manifest, requested }: VoiceChoice): SpokenVoice {
  const able = manifest.voices.filter(({ blending }) => blending);
  if (able.length === 0) throw unable(catalogue, `${id} does not blend voices.`);
  const parsed = parseBlend(requested);
  if (parsed === null) throw malformed(requested);
  const parts = parsed.map(({ name, weight }) => {
    const voice = voiceIn(catalogue, manifest, name) ?? able.find(({ speaker }) => speaker === name);
    if (voice) catalogue.permits?.checkVoice(voice.id);
    return { name, voice: voice ?? chooseVoice(catalogue, { id, manifest, requested: name }), weight };
  });
  const [first] = parts as [(typeof parts)[number]];
  const other = parts.find(({ voice }) => !voice.blending || voice.engine !== first.voice.engine);
  if (other) throw unable(catalogue, `${id} does not blend ${other.name} with other voices.`);
  const shares = sharesOf(parts.map(({ voice: { speaker }, weight }) => ({ speaker, weight })));
  const metadata = { style: null, age: null, description: null, use_cases: [] };
  const blended = { ...first.voice, id: requested, name: requested, aliases: [], metadata };
  return shares.length === 1 ? blended : { ...blended, blend: shares };
}

const malformed = (requested: string) =>
  new Refusal(
    "invalid_voice",
    `${requested} is no blend of voices. Write at most ${BLEND_PARTS_MAX} of them such as female-warm(2)+male-deep(1), with weights up to 100.`,
    { param: "voice" },
  );

function unable(catalogue: Catalogue, message: string): Refusal {
  const models = blendingModels(catalogue).map(({ id }) => id);
  const advice = models.length === 0 ? "No installed model does." : `Models that do: ${models.join(", ")}.`;
  return new Refusal("voice_not_supported", `${message} ${advice}`, { param: "voice" });
}

/** The installed models that blend voices, best first. */
export const blendingModels = ({ entries }: Pick<Catalogue, "entries">) =>
  entries
    .filter(isTts)
    .flatMap(({ id, version }) =>
      version?.voices.some(({ blending }) => blending) ? [{ id, manifest: version }] : [],
    );

/** Voices of a model that can be mixed with each other: a set for each engine with at least two. */
export const blendSets = ({ voices }: Pick<TtsManifest, "voices">): string[][] =>
  [
    ...Map.groupBy(
      voices.filter(({ blending }) => blending),
      ({ engine }) => engine,
    ).values(),
  ]
    .filter(({ length }) => length > 1)
    .map((set) => set.map(({ id }) => id));
