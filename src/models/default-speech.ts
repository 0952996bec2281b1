/** The model of a request for speech that names none, or names a voice alone, as those of other APIs do. */
import { Refusal, unlessRefused } from "../errors.ts";
import { type Catalogue, isTts } from "./catalogue.ts";
import { chooseVoice } from "./choose-voice.ts";
import type { TtsManifest } from "./manifest.ts";
import { type OwnVoiceName, ownVoiceIn } from "./own-voice.ts";

type Asked = { voice: string; ownVoice: OwnVoiceName | null; language: string | null };
type Model = { id: string; manifest: TtsManifest };

/** The first that speaks with the voice, else the default, which refuses it. */
export function modelSpeaking(catalogue: Catalogue, asked: Asked): string {
  return (ableModel(catalogue, asked) ?? defaultModel(catalogue)).id;
}

/** A name that is one of a voice, or of a model, which then speaks with its first; null: the default of both. */
export function speechNamed(
  catalogue: Catalogue,
  asked: Omit<Asked, "voice"> & { name: string | null },
): { model: string; voice: string } {
  const { name, ...rest } = asked;
  if (name === null) return withFirstVoice(catalogue, defaultModel(catalogue));
  const able = ableModel(catalogue, { ...rest, voice: name });
  if (able) return { model: able.id, voice: name };
  const id = catalogue.find(name)?.id;
  const named = speakingModels(catalogue).find((model) => model.id === id);
  return named
    ? { model: name, voice: firstVoice(catalogue, named.manifest) }
    : { model: defaultModel(catalogue).id, voice: name };
}

function ableModel(catalogue: Catalogue, { voice, ownVoice, language }: Asked): Model | undefined {
  return speakingModels(catalogue).find((model) =>
    unlessRefused(() =>
      ownVoice
        ? ownVoiceIn(catalogue, model, { ownVoice, language })
        : chooseVoice(catalogue, { ...model, requested: voice }),
    ),
  );
}

function defaultModel(catalogue: Catalogue): Model {
  const [first] = speakingModels(catalogue);
  if (first) return first;
  throw (
    catalogue.permits?.nothing("model that speaks") ??
    new Refusal("model_unavailable", "This server has no model that speaks.", { param: "model" })
  );
}

/** The first that the caller may use; where that is none of them, the first, which is then refused. */
export function firstVoice({ permits }: Catalogue, { voices }: TtsManifest): string {
  const usable = permits ? voices.find(({ id }) => permits.voice(id)) : undefined;
  return (usable ?? voices[0])?.id ?? "";
}

const withFirstVoice = (catalogue: Catalogue, { id, manifest }: Model) => ({
  model: id,
  voice: firstVoice(catalogue, manifest),
});

/** Those that are installed: first the targets of the empty name, which clients send that leave the model out. */
function speakingModels({ entries, names }: Catalogue): Model[] {
  const preferred: readonly string[] = names.model("")?.targets ?? [];
  const rankOf = (id: string) => (preferred.includes(id) ? preferred.indexOf(id) : preferred.length);
  return entries
    .filter(isTts)
    .flatMap(({ id, version }) => (version ? [{ id, manifest: version }] : []))
    .toSorted((a, b) => rankOf(a.id) - rankOf(b.id));
}
