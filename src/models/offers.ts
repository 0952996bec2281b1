/**
 * What packages add to the models that name their family: voices of their own, and the languages that they recognize.
 * A pulled voice is offered without an edit of any manifest.
 */
import { type Family, familyOf } from "../engine/families/families.ts";
import type { Manifest, SttManifest, TtsManifest, Voice } from "./manifest.ts";
import type { Package } from "./package.ts";

export function withOffers(manifest: Manifest, packages: readonly Package[]): Manifest {
  const families = manifest.type === "tts" ? manifest.families : manifest.hearing.families;
  if (!families) return manifest;
  const own = packages.filter(({ family }) => families.includes(family));
  return manifest.type === "tts" ? withVoices(manifest, own) : withRecognition(manifest, own);
}

/**
 * A voice that the manifest names itself is not added a second time, and of two with one id the first counts. Each speaks
 * the languages of its package.
 */
function withVoices(manifest: TtsManifest, packages: readonly Package[]): TtsManifest {
  const voices = [...manifest.voices];
  for (const { name: engine, voices: offered = [] } of packages)
    for (const voice of offered)
      if (!voices.some(({ id }) => id === voice.id)) voices.push({ ...voice, engine });
  const spoken = new Map(packages.map(({ name, languages }) => [name, languages]));
  const withLanguages = (voice: Voice): Voice => {
    const languages = spoken.get(voice.engine);
    return languages ? { ...voice, languages } : voice;
  };
  return { ...manifest, voices: voices.map(withLanguages) };
}

/** By rank; a manifest's own engines come first. */
function withRecognition(manifest: SttManifest, packages: readonly Package[]): SttManifest {
  const offered = packages
    .flatMap(({ name: engine, family, recognition = [] }) =>
      recognition.map((each) => ({ engine, ...each, ...hintsOf(family) })),
    )
    .toSorted((a, b) => b.rank - a.rank || a.engine.localeCompare(b.engine))
    .map(({ rank: _, ...engine }) => engine);
  const engines = [...manifest.hearing.engines, ...offered];
  return { ...manifest, hearing: { ...manifest.hearing, engines } };
}

const hintsOf = (family: Family) => (familyOf(family).hints ? { hints: true } : {});
