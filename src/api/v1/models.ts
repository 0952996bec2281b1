/**
 * The catalogue routes: GET /v1/models, /v1/models/{id} and /v1/voices. Not metered. Unmetered organizations find the
 * aliases of models there too. The lists are serialized once per state of the catalogue, because clients request them at
 * every start and on every credential test.
 */
import { type Context, Elysia } from "elysia";
import Type from "typebox";
import type { Principal } from "../../accounts/principal.ts";
import { invalidInput, Refusal } from "../../errors.ts";
import { primaryLanguage } from "../../language-tag.ts";
import type { BoundVoice, Catalogue, Entry } from "../../models/catalogue.ts";
import type { CatalogueFor } from "../../models/live-catalogue.ts";
import { languagesSpoken } from "../../models/manifest.ts";
import { aliasObject, modelObject, pricingOf, voiceObject } from "../../models/objects.ts";
import { checker } from "../../schema.ts";
import { type OwnVoices, ownVoicesListed } from "../../voices/voices.ts";
import type { Authentication } from "../middleware/caller.ts";
import { json, KEY_REFUSALS, operation, ref } from "../openapi/operation.ts";
import { listAnswers, listOf, oncePerState, queryOf, send, sendList } from "./catalogue-reply.ts";

const ModelsQuery = Type.Object({ type: Type.Optional(Type.Enum(["stt", "tts"])) });
const modelsQuery = checker(ModelsQuery);

const VOICE_FILTERS = ["language", "locale", "model"] as const;

const FILTERS: Record<
  (typeof VOICE_FILTERS)[number],
  { description: string; schema: object; example: string }
> = {
  language: { description: "Only voices that speak this language.", schema: Type.String(), example: "en" },
  locale: { description: "Only voices of this locale.", schema: Type.String(), example: "en-GB" },
  model: { description: "Only voices of this model.", schema: Type.String(), example: "svc-tts1" },
};

const LISTED = { tag: "Catalogue", access: "key" } as const;

/** What the OpenAPI document says of the routes. */
const DETAILS = {
  listModels: operation({
    ...LISTED,
    id: "listModels",
    summary: "List models",
    query: [{ name: "type", description: "Only models of this type.", schema: ModelsQuery.properties.type }],
    ...listAnswers("The models, and for unmetered organizations their aliases.", "ModelList"),
    refusals: [...KEY_REFUSALS, "validation_error"],
  }),
  retrieveModel: operation({
    ...LISTED,
    id: "retrieveModel",
    summary: "Retrieve a model",
    path: { model: { description: "The id of a model.", example: "svc-tts1" } },
    ok: { description: "The model.", content: json(ref("Model")) },
    refusals: [...KEY_REFUSALS, "model_not_found"],
  }),
  listVoices: operation({
    ...LISTED,
    id: "listVoices",
    summary: "List voices",
    query: VOICE_FILTERS.map((name) => ({ name, ...FILTERS[name] })),
    ...listAnswers("The voices.", "VoiceList"),
    refusals: KEY_REFUSALS,
  }),
};

/** `encodesAac`: whether FFmpeg is here. */
export type CatalogueDeps = {
  access: Authentication;
  catalogueFor: CatalogueFor;
  ownVoices: OwnVoices;
  encodesAac: boolean;
};

export function catalogueRoutes({ access, catalogueFor, ownVoices, encodesAac }: CatalogueDeps) {
  const listsOf = oncePerState((catalogue) => modelLists(catalogue, encodesAac));
  const allVoicesOf = oncePerState(({ voices }) => listObject(voices.map(voiceObject)));
  const list = (principal: Principal, { request, set }: Pick<Context, "request" | "set">) => {
    const { models, all } = listsOf(catalogueFor(principal))(principal);
    const query = queryOf(request);
    if (query === null) return sendList({ request, set }, all);
    const { value, details } = modelsQuery.check(query);
    if (details !== null) throw invalidInput(details);
    const some = models.filter(({ type }) => value.type === undefined || type === value.type);
    return sendList({ request, set }, listObject(some));
  };
  return new Elysia()
    .get(
      "/v1/models",
      ({ request, set }) => {
        const principal = access(request, "catalog:read");
        if (!(principal instanceof Promise)) return list(principal, { request, set });
        return principal.then((found) => list(found, { request, set }));
      },
      { detail: DETAILS.listModels },
    )
    .get(
      "/v1/models/:model",
      async ({ request, params, set }) => {
        const principal = await access(request, "catalog:read");
        const model = modelNamed(catalogueFor(principal), {
          ...{ name: params.model, payer: principal, encodesAac },
        });
        return send(set, JSON.stringify(model));
      },
      { detail: DETAILS.retrieveModel },
    )
    .get(
      "/v1/voices",
      async ({ request, set }) => {
        const principal = await access(request, "catalog:read");
        const catalogue = catalogueFor(principal);
        const added = await ownVoicesListed(ownVoices, principal, catalogue);
        const query = queryOf(request);
        if (query === null && added.length === 0) return sendList({ request, set }, allVoicesOf(catalogue));
        const voices = voicesLike(catalogue, added, query ?? {});
        return sendList({ request, set }, listObject(voices.map(voiceObject)));
      },
      { detail: DETAILS.listVoices },
    );
}

/** What decides about the prices that are shown. */
type Payer = Pick<Principal, "plan" | "priceFactor">;

const pricesFor = ({ plan, priceFactor }: Payer) =>
  plan === "unmetered" ? () => null : (entry: Entry) => pricingOf(entry, priceFactor);

type Named = { name: string; payer: Payer; encodesAac: boolean };

function modelNamed(catalogue: Catalogue, { name, payer, encodesAac }: Named): object {
  const entry = catalogue.find(name);
  const isHidden = entry && catalogue.permits?.model(entry.id) === false;
  if (!entry || isHidden || entry.manifest.status === "retired")
    throw new Refusal("model_not_found", `There is no model ${name.slice(0, 256)}.`, { param: "model" });
  const alias = catalogue.names.model(name);
  if (alias) return aliasObject(alias.name, entry, catalogue.names);
  return modelObject(entry, { encodesAac, pricing: pricesFor(payer)(entry) });
}

/** The lists of a catalogue, each made once for all who pay the same. */
function modelLists(catalogue: Catalogue, encodesAac: boolean) {
  const known = new Map<number | null, ReturnType<typeof modelList>>();
  return (payer: Payer) => {
    const name = payer.plan === "unmetered" ? null : payer.priceFactor;
    let lists = known.get(name);
    if (lists === undefined) {
      if (known.size >= LISTS_MAX) known.clear();
      lists = modelList(catalogue, { payer, encodesAac });
      known.set(name, lists);
    }
    return lists;
  };
}

const LISTS_MAX = 100;

/** The models as objects and as a list. */
function modelList({ entries, names, find }: Catalogue, { payer, encodesAac }: Omit<Named, "name">) {
  const priceOf = pricesFor(payer);
  const models = [
    ...entries.map((entry) => modelObject(entry, { encodesAac, pricing: priceOf(entry) })),
    ...names.models.map(({ name, targets: [target] }) => aliasObject(name, find(target)!, names)),
  ];
  return { models, all: listObject(models) };
}

type VoiceFilter = { [name in (typeof VOICE_FILTERS)[number]]?: string };

/** Filters combine with AND; a language compares by its primary subtag, and is one that the voice speaks in the model. */
function voicesLike(
  { voices, find }: Catalogue,
  added: BoundVoice[],
  { language, locale, model }: VoiceFilter,
) {
  const primary = language === undefined ? undefined : primaryLanguage(language);
  const entry = model === undefined ? null : find(model);
  const modelVoices = entry?.version?.type === "tts" ? entry.version.voices : [];
  const speaks = (voice: BoundVoice, spoken: string) =>
    languagesSpoken(modelVoices.find(({ id }) => id === voice.id) ?? voice).includes(spoken);
  return [...voices, ...added].filter(
    (voice) =>
      (primary === undefined || speaks(voice, primary)) &&
      (locale === undefined || voice.locale.toLowerCase() === locale.toLowerCase()) &&
      (model === undefined || voice.models.includes(entry?.id ?? model)),
  );
}

const listObject = (data: object[]) => listOf({ object: "list", data });
