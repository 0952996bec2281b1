/** How voices that organizations made themselves resolve in the catalogue: which engine speaks with them, in which models. */
import { Refusal, unlessRefused } from "../errors.ts";
import { primaryLanguage } from "../language-tag.ts";
import { type BoundVoice, type Catalogue, isTts } from "./catalogue.ts";
import { blendingModels, chooseVoice, type SpokenVoice } from "./choose-voice.ts";
import { languagesSpoken, type TtsManifest, type Voice } from "./manifest.ts";

/** `engine`: the one that encoded it first. `blend`: of a blend, its voices as requests write them. */
export type OwnVoiceName = { id: string; name: string; engine: string | null; blend: string | null };

type Model = { id: string; manifest: TtsManifest };

/** The installed models that speak with recorded voices, best first. */
export function cloningModels({ entries }: Pick<Catalogue, "entries">): Model[] {
  return entries
    .filter(isTts)
    .flatMap(({ id, version }) =>
      version && version.status !== "retired" && version.voices.some(({ cloning }) => cloning)
        ? [{ id, manifest: version }]
        : [],
    );
}

/** `id`: as refusals name the model. The voice as one of the model: with the engine that speaks the language, else its first one, else any. */
export function ownVoiceIn(
  catalogue: Catalogue,
  { id, manifest }: Model,
  { ownVoice, language }: { ownVoice: OwnVoiceName; language: string | null },
): SpokenVoice {
  catalogue.permits?.checkVoice(ownVoice.id);
  if (ownVoice.blend !== null)
    return {
      ...chooseVoice(wholeOf(catalogue), { id, manifest, requested: ownVoice.blend }),
      id: ownVoice.id,
      name: ownVoice.name,
    };
  const voice = spokenBy(manifest, { ...ownVoice, language });
  if (voice) return boundTo(voice, ownVoice);
  const able = cloningModels(catalogue).map((model) => model.id);
  throw new Refusal(
    "voice_not_supported",
    `${id} does not speak with recorded voices such as ${ownVoice.id}. ${able.length === 0 ? `No installed model does.${adviceOf(catalogue)}` : `Models that do: ${able.join(", ")}.`}`,
    { param: "voice" },
  );
}

/** Who may use a blend need not be allowed each of its voices. */
const wholeOf = (catalogue: Catalogue): Catalogue => {
  if (!catalogue.permits) return catalogue;
  const { permits: _, ...whole } = catalogue;
  return whole;
};

const adviceOf = ({ cloningPackage }: Catalogue): string =>
  cloningPackage === null
    ? ""
    : ` The operator of this server can add one with "loquat models pull ${cloningPackage}".`;

const boundTo = (voice: Voice, { id, name }: OwnVoiceName): Voice => ({
  ...voice,
  ...{ id, name, gender: "neutral", aliases: [] },
  metadata: { style: null, age: null, description: null, use_cases: [] },
});

function spokenBy(
  { voices }: TtsManifest,
  { engine, language }: { engine: string | null; language: string | null },
): Voice | undefined {
  const able = voices.filter(({ cloning }) => cloning);
  const speaks = (voice: Voice) =>
    language !== null &&
    languagesSpoken(voice).some((each) => primaryLanguage(each) === primaryLanguage(language));
  const first = able.filter((voice) => voice.engine === engine);
  return first.find(speaks) ?? able.find(speaks) ?? first[0] ?? able[0];
}

/** Which model and engine make a voice of a recording; `model` null: the best. */
export function chooseCloning(
  catalogue: Catalogue,
  { model, language }: { model: string | null; language: string | null },
): Model & { engine: string } {
  const able = cloningModels(catalogue);
  const entry = model === null ? null : catalogue.find(model);
  if (model !== null && (entry === null || !isTts(entry))) {
    const names = able.map(({ id }) => id).join(", ") || "none";
    throw new Refusal("invalid_model", `${model} is not a TTS model. Models that make voices: ${names}.`, {
      param: "model",
    });
  }
  const chosen = model === null ? able[0] : able.find(({ id }) => id === entry!.id);
  const voice = chosen && spokenBy(chosen.manifest, { engine: null, language });
  if (chosen && voice) return { ...chosen, engine: voice.engine };
  const message =
    able.length === 0
      ? `No installed model makes voices of recordings.${adviceOf(catalogue)}`
      : `${entry!.id} does not make voices of recordings. Models that do: ${able.map(({ id }) => id).join(", ")}.`;
  throw new Refusal("voice_cloning_not_supported", message, { param: "model" });
}

/** For lists of voices, beside those of the catalogue; null where no installed model speaks with it. */
export function ownVoiceListed(catalogue: Catalogue, ownVoice: OwnVoiceName): BoundVoice | null {
  const bound = speakingModels(catalogue).flatMap((model) => {
    const voice = unlessRefused(() => ownVoiceIn(catalogue, model, { ownVoice, language: null }));
    return voice ? [{ voice, model: model.id }] : [];
  });
  const [first] = bound;
  return first ? { ...first.voice, models: bound.map(({ model }) => model) } : null;
}

const speakingModels = ({ entries }: Catalogue): Model[] =>
  entries.filter(isTts).flatMap(({ id, version }) => (version ? [{ id, manifest: version }] : []));

/** The model of a new blend; null: the best that blends. Refuses what it does not speak with. */
export function chooseBlended(
  catalogue: Catalogue,
  { model, blend }: { model: string | null; blend: string },
): Model {
  const models = speakingModels(catalogue);
  const named = model === null ? null : catalogue.find(model);
  const chosen = model === null ? blendingModels(catalogue)[0] : models.find(({ id }) => id === named?.id);
  if (chosen) {
    chooseVoice(catalogue, { ...chosen, requested: blend });
    return chosen;
  }
  if (model === null)
    throw new Refusal("voice_not_supported", "No installed model blends voices.", { param: "blend" });
  const names = models.map(({ id }) => id).join(", ") || "none";
  throw new Refusal("invalid_model", `${model} is not a TTS model. TTS models: ${names}.`, {
    param: "model",
  });
}
