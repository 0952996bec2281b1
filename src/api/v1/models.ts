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
import { UNAVAILABLE } from "../middleware/retry-after.ts";

const ModelsQuery = Type.Object({ type: Type.Optional(Type.Enum(["stt", "tts"])) });
const modelsQuery = checker(ModelsQuery);

const VOICE_FILTERS = ["language", "locale", "model"] as const;

export function catalogueRoutes(access: Authentication, catalogue: Catalogue) {
  const listed = openListed(catalogue);
  return new Elysia()
    .get(
      "/v1/models",
      async ({ request, set }) => {
        await access(request, "catalog:read");
        const query = queryOf(request);
        const { models, body } = listed();
        if (query === null) return json(set, body);
        const { value, details } = modelsQuery.check(query);
        if (details !== null) throw invalidInput(details);
        return json(
          set,
          listBody(models.filter(({ type }) => value.type === undefined || type === value.type)),
        );
      },
      {
        detail: {
          summary: "List models",
          tags: ["Catalogue"],
          parameters: [queryParameter("type", ["stt", "tts"])],
          responses: answers("The models."),
        },
      },
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
        return json(set, JSON.stringify(modelObject(entry)));
      },
      { detail: { summary: "Retrieve a model", tags: ["Catalogue"], responses: answers("The model.") } },
    )
    .get(
      "/v1/voices",
      async ({ request, set }) => {
        await access(request, "catalog:read");
        return json(set, listBody(voicesLike(catalogue, queryOf(request) ?? {}).map(voiceObject)));
      },
      {
        detail: {
          summary: "List voices",
          tags: ["Catalogue"],
          parameters: VOICE_FILTERS.map((name) => queryParameter(name)),
          responses: answers("The voices."),
        },
      },
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
function json(set: Outgoing, body: string): string {
  set.headers["content-type"] = "application/json";
  return body;
}

const answers = (description: string) => ({ 200: { description }, ...UNAVAILABLE });

function queryParameter(name: string, choices?: string[]) {
  const schema = { type: "string" as const, ...(choices ? { enum: choices } : {}) };
  return { name, in: "query" as const, required: false, schema };
}
