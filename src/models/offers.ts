/**
 * What packages add to the models that name their family: their own voices, and the languages that they recognize.
 * A pulled voice is offered without an edit of any manifest.
 */
import { abilitiesOf, type Family } from "../engine/families/families.ts";
import { unreadReason } from "../engine/families/readers.ts";
import { familiesOf, type Manifest, type SttManifest, type TtsManifest, type Voice } from "./manifest.ts";
import { abilitiesOfPackage, type Package } from "./packages/package.ts";

export function withOffers(manifest: Manifest, packages: readonly Package[]): Manifest {
  const families = familiesOf(manifest);
  if (families.length === 0) return manifest.type === "tts" ? withAbilities(manifest, packages) : manifest;
  const familyPackages = packages.filter(({ family }) => families.includes(family));
  return manifest.type === "tts"
    ? withAbilities(withVoices(manifest, familyPackages), packages)
    : withRecognition(manifest, familyPackages);
}

/** The models that speak or recognize with a package: those that name it, and those that name its family. */
export function modelsWith(manifests: readonly Manifest[], { name, family, ...pkg }: Package): string[] {
  const isOffered = (manifest: Manifest) =>
    (manifest.type === "tts" ? pkg.voices : pkg.recognition) !== undefined &&
    familiesOf(manifest).includes(family);
  const isNamed = (manifest: Manifest) =>
    (manifest.type === "tts" ? manifest.voices : manifest.recognition.engines).some(
      ({ engine }) => engine === name,
    );
  return [...new Set(manifests.flatMap((each) => (isOffered(each) || isNamed(each) ? [each.model] : [])))];
}

/**
 * The manifest's own voices, then those of packages. Several may have one id: of them the first that is installed counts.
 * Each speaks the languages of its package.
 */
function withVoices(manifest: TtsManifest, packages: readonly Package[]): TtsManifest {
  const offered = packages.flatMap(({ name: engine, family, voices = [] }) =>
    voices
      .filter(({ language }) => unreadReason(family, language) === null)
      .map((voice) => ({ ...voice, engine })),
  );
  const voices: Voice[] = [...manifest.voices, ...offered];
  const spoken = new Map(packages.map(({ name, languages }) => [name, languages]));
  const withLanguages = (voice: Voice): Voice => {
    const languages = spoken.get(voice.engine);
    return languages ? { ...voice, languages } : voice;
  };
  return { ...manifest, voices: voices.map(withLanguages) };
}

/** What the families of packages can do with voices. */
function withAbilities(manifest: TtsManifest, packages: readonly Package[]): TtsManifest {
  const abilities = new Map(packages.map(({ name, family }) => [name, voiceAbilitiesOf(family)]));
  return {
    ...manifest,
    voices: manifest.voices.map((voice) => ({ ...voice, ...abilities.get(voice.engine) })),
  };
}

const voiceAbilitiesOf = (family: Family): Pick<Voice, "cloning" | "blending"> =>
  Object.fromEntries(
    abilitiesOf(family).flatMap((one) => (one === "cloning" || one === "blending" ? [[one, true]] : [])),
  );

/** By rank; a manifest's own engines come first. */
function withRecognition(manifest: SttManifest, packages: readonly Package[]): SttManifest {
  const offered = packages
    .flatMap((pkg) =>
      (pkg.recognition ?? []).map((each) => ({ engine: pkg.name, ...each, ...recognitionAbilitiesOf(pkg) })),
    )
    .toSorted((a, b) => b.rank - a.rank || a.engine.localeCompare(b.engine))
    .map(({ rank: _, ...engine }) => engine);
  const engines = [...manifest.recognition.engines, ...offered];
  return { ...manifest, recognition: { ...manifest.recognition, engines } };
}

function recognitionAbilitiesOf(pkg: Package) {
  const does = abilitiesOfPackage(pkg);
  return {
    ...(does.includes("prompt") ? { hints: true } : {}),
    ...(does.includes("languages") ? { among: true } : {}),
    ...(does.includes("keywords") ? { keywords: true } : {}),
    ...(does.includes("detection") ? {} : { language_required: true }),
    ...(does.includes("word_times") ? {} : { estimated_times: true }),
  };
}
