/** The definition of an upstream that is added, or followed, by what its server lists. */
import { invalidInput } from "../errors.ts";
import type { Manifest } from "../models/manifest.ts";
import { type CredentialReference, type Definition, presetWith, urlFaults } from "./definition.ts";
import type { Preset } from "./dialects/preset.ts";
import { type Additions, type Found, modelsFor } from "./discovered-models.ts";
import { listModels, listVoices } from "./discovery.ts";
import { UpstreamFailure } from "./transport/failure.ts";
import { resolveAll } from "./transport/resolve-names.ts";
import { credentialHeaders } from "./upstream.ts";
import { checkModels, type UpstreamSet } from "./upstreams.ts";

/** `follows`: the models are those that the server lists, also later. */
export type NewUpstream = Omit<Definition, "models" | "added" | "follow"> & {
  additions: Omit<Additions, "whisperLanguages">;
  follows?: boolean;
};

/** What a new upstream is checked with. `credential` reads the key that a definition names. `today`: as 2026-11-23. */
type Discovering = {
  set: Pick<UpstreamSet, "presets" | "check">;
  shipped: readonly Manifest[];
  whisperLanguages: string[];
  credential: (reference: CredentialReference) => string | null;
  today: string;
};

/** The definition of what a server lists. */
export async function discovered(
  { additions, follows = false, ...named }: NewUpstream,
  { set, shipped, whisperLanguages, credential, today }: Discovering,
  signal: AbortSignal,
): Promise<Definition> {
  const preset = presetWith(set.presets, named.preset, named.flags);
  const upstream = preset.chat ? { ...named, urls: named.urls.map(withoutVersion) } : named;
  const faults = urlFaults(upstream.urls);
  if (faults.length > 0) throw invalidInput(faults);
  const key = keyOf(upstream.credential, credential);
  const found = await listedBy(preset, { urls: upstream.urls, key }, signal);
  const isChoice = additions.choices.length === 0 && !follows && !preset.speech && !preset.transcription;
  if (isChoice && found.models.length > 1)
    throw refused("models", `are ${found.models.map(({ id }) => id).join(", ")}: name the one to talk to`);
  const models = modelsFor(preset, found, { ...additions, whisperLanguages });
  if (models.length === 0)
    throw refused("models", "are none: the server lists no model with a voice; name models and voices");
  const { languages, voices, fallback, priceMicros: price_micros, tokenMicros: token_micros } = additions;
  const tokens = token_micros && { token_micros };
  const follow = follows ? { follow: { languages, voices, fallback, price_micros, ...tokens } } : {};
  const definition = set.check({ ...upstream, ...follow, added: today, models });
  checkModels(definition, shipped);
  return definition;
}

/** The definition of what the server of a followed upstream lists now; null where that is what it has already. */
export async function followed(
  { models, follow, added, ...upstream }: Definition,
  deps: Omit<Discovering, "today">,
  signal: AbortSignal,
): Promise<Definition | null> {
  if (!follow) return null;
  const { languages, voices, fallback, price_micros: priceMicros, token_micros: tokenMicros = null } = follow;
  const additions = { choices: [], languages, voices, fallback, priceMicros, tokenMicros };
  const definition = await discovered(
    { ...upstream, additions, follows: true },
    { ...deps, today: added },
    signal,
  );
  return Bun.deepEquals(definition.models, models) ? null : definition;
}

/** Addresses of language models are given with or without it. */
export const withoutVersion = (url: string): string => url.replace(/\/(?:v1\/?)?$/, "");

function keyOf(reference: CredentialReference, read: Discovering["credential"]): string | null {
  try {
    return read(reference);
  } catch (error) {
    throw refused("credential", `cannot be read: ${(error as Error).message}`);
  }
}

type Asked = { urls: string[]; key: string | null };

/** Of the first server that answers. */
async function listedBy(preset: Preset, { urls, key }: Asked, signal: AbortSignal): Promise<Found> {
  const headers = credentialHeaders(preset, key);
  try {
    const [address] = await resolveAll(urls);
    const asking = { address: address!, headers, signal };
    return { models: await listModels(preset, asking), voices: await listVoices(preset, asking) };
  } catch (error) {
    const { message } = error as Error;
    const why = error instanceof UpstreamFailure ? message : `its address cannot be resolved: ${message}`;
    throw refused("urls", `must name a server that answers as ${preset.title} does: ${why}`);
  }
}

const refused = (field: string, message: string) => invalidInput([{ field, code: "malformed", message }]);
