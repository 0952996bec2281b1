/**
 * The catalogue routes: GET /v1/models, /v1/models/{id} and /v1/voices. Not metered. The list is serialized once per
 * state of the catalogue, because clients request it at every start and on every credential test.
 */

import { Elysia } from "elysia";
import Type from "typebox";
import { invalidInput, Refusal } from "../../errors.ts";
import { primaryLanguage } from "../../language-tag.ts";
import type { BoundVoice, Catalogue } from "../../models/catalogue.ts";
import { languagesSpoken } from "../../models/manifest.ts";
import { modelObject, voiceObject } from "../../models/objects.ts";
import { checker } from "../../schema.ts";
import type { Authentication } from "../middleware/authentication.ts";
import { json, KEY_REFUSALS, operation, ref } from "../openapi/operation.ts";

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
    ok: { description: "The models.", content: json(ref("ModelList")) },
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
    ok: { description: "The voices.", content: json(ref("VoiceList")) },
    refusals: KEY_REFUSALS,
  }),
};

export function catalogueRoutes(access: Authentication, catalogue: Catalogue) {
  const listed = openListed(catalogue);
  return new Elysia()
    .get(
      "/v1/models",
      async ({ request, set }) => {
        await access(request, "catalog:read");
        const query = queryOf(request);
        const { models, body } = listed();
        if (query === null) return send(set, body);
        const { value, details } = modelsQuery.check(query);
        if (details !== null) throw invalidInput(details);
        return send(
          set,
          listBody(models.filter(({ type }) => value.type === undefined || type === value.type)),
        );
      },
      { detail: DETAILS.listModels },
    )
    .get(
      "/v1/models/:model",
      async ({ request, params, set }) => {
        await access(request, "catalog:read");
        const entry = catalogue.find(params.model);
        if (!entry || entry.manifest.status === "retired") {
          throw new Refusal("model_not_found", `There is no model ${params.model.slice(0, 256)}.`, {
            param: "model",
          });
        }
        return send(set, JSON.stringify(modelObject(entry)));
      },
      { detail: DETAILS.retrieveModel },
    )
    .get(
      "/v1/voices",
      async ({ request, set }) => {
        await access(request, "catalog:read");
        return send(set, listBody(voicesLike(catalogue, queryOf(request) ?? {}).map(voiceObject)));
      },
      { detail: DETAILS.listVoices },
    );
}

/** The models as objects and as a serialized list, rebuilt when the catalogue changes. */
function openListed(catalogue: Catalogue) {
  const made = () => {
    const { entries } = catalogue;
    const models = entries.map(modelObject);
    return { entries, models, body: listBody(models) };
  };
  let current = made();
  return () => {
    if (current.entries !== catalogue.entries) current = made();
    return current;
  };
}

type VoiceFilter = { [name in (typeof VOICE_FILTERS)[number]]?: string };

/** Filters combine with AND; a language compares by its primary subtag, and is one that the voice speaks in the model. */
function voicesLike({ voices, find }: Catalogue, { language, locale, model }: VoiceFilter) {
  const primary = language === undefined ? undefined : primaryLanguage(language);
  const entry = model === undefined ? null : find(model);
  const own = entry?.version?.type === "tts" ? entry.version.voices : [];
  const speaks = (voice: BoundVoice, wanted: string) =>
    languagesSpoken(own.find(({ id }) => id === voice.id) ?? voice).includes(wanted);
  return voices.filter(
    (voice) =>
      (primary === undefined || speaks(voice, primary)) &&
      (locale === undefined || voice.locale.toLowerCase() === locale.toLowerCase()) &&
      (model === undefined || voice.models.includes(entry?.id ?? model)),
  );
}

/** The query as an object, or null in the common case of none. */
function queryOf(request: Request): Record<string, string> | null {
  const position = request.url.indexOf("?");
  return position < 0 ? null : Object.fromEntries(new URLSearchParams(request.url.slice(position)));
}

const listBody = (data: object[]) => JSON.stringify({ object: "list", data });

type Outgoing = { headers: Record<string, string | number> };

/** Returns text and sets a header instead of a `Response`, which the framework would copy at half the throughput. */
function send(set: Outgoing, body: string): string {
  set.headers["content-type"] = "application/json";
  return body;
}
