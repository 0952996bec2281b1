/**
 * GET /v1/audio/voices and /v1/audio/models: the lists that chat and home automation clients fill their menus from. OpenAI
 * has neither; the shapes are those that Kokoro-FastAPI and Open WebUI agreed on. Not metered.
 *
 * Such clients send no key, so an operator may make the lists public. Each is serialized once per state of the
 * catalogue, so that such a request costs no more than a health check.
 */
import { Elysia } from "elysia";
import Type from "typebox";
import type { Principal } from "../../accounts/principal.ts";
import { Refusal } from "../../errors.ts";
import { type BoundVoice, type Catalogue, isTts } from "../../models/catalogue.ts";
import type { CatalogueFor } from "../../models/live-catalogue.ts";
import type { Plan } from "../../plans.ts";
import { type OwnVoices, ownVoicesListed } from "../../voices/voices.ts";
import type { Authentication } from "../middleware/caller.ts";
import { KEY_REFUSALS, operation } from "../openapi/operation.ts";
import { listAnswers, listOf, oncePerState, queryOf, sendList } from "./catalogue-reply.ts";

/** `publicPlan`: whose names callers without a key see; null: they are refused. */
export type DiscoveryDeps = {
  access: Authentication;
  catalogueFor: CatalogueFor;
  ownVoices: OwnVoices;
  publicPlan: Plan | null;
};

/** For shared caches between anonymous callers and the server. */
const PUBLIC = "public, max-age=60";

const KEY = "Needs no key where the operator has set LOQUAT_PUBLIC_CATALOGUE.";
const LISTED = { tag: "Catalogue", access: "key", refusals: KEY_REFUSALS } as const;

/** What the OpenAPI document says of the routes. */
const DETAILS = {
  voices: operation({
    ...LISTED,
    id: "listMenuVoices",
    summary: "List voices for the menus of clients",
    description: KEY,
    query: [
      {
        name: "legacy",
        description: "With true, the list has ids only.",
        schema: Type.String(),
        example: "true",
      },
    ],
    ...listAnswers("The voices.", "MenuVoices"),
  }),
  models: operation({
    ...LISTED,
    id: "listMenuModels",
    summary: "List text-to-speech models for the menus of clients",
    description: KEY,
    ...listAnswers("The models, and for unmetered organizations their aliases.", "MenuModels"),
  }),
};

export function discoveryRoutes({ access, catalogueFor, ownVoices, publicPlan }: DiscoveryDeps) {
  const bodies = oncePerState(bodiesOf);
  /** Null for a caller without a key, where such may read the lists. */
  const callerOf = async (request: Request): Promise<Principal | null> => {
    try {
      return await access(request, "catalog:read");
    } catch (error) {
      if (publicPlan !== null && error instanceof Refusal && error.code === "missing_api_key") return null;
      throw error;
    }
  };
  const answer = async ({ request, set }: Call, kind: keyof ReturnType<typeof bodiesOf>): Promise<string> => {
    const caller = await callerOf(request);
    set.headers.vary = "authorization"; // a key decides which names are listed
    if (caller === null) set.headers["cache-control"] = PUBLIC;
    const catalogue = catalogueFor(caller ?? { plan: publicPlan ?? "prepaid", caps: [] });
    const added = caller && kind !== "models" ? await ownVoicesListed(ownVoices, caller, catalogue) : [];
    return sendList(
      { request, set },
      added.length > 0 ? withOwn(catalogue, added)[kind] : bodies(catalogue)[kind],
    );
  };
  return new Elysia()
    .get(
      "/v1/audio/voices",
      (call) => answer(call, queryOf(call.request)?.legacy === "true" ? "voiceIds" : "voices"),
      { detail: DETAILS.voices },
    )
    .get("/v1/audio/models", (call) => answer(call, "models"), { detail: DETAILS.models });
}

type Call = Parameters<typeof sendList>[0];

const withOwn = (catalogue: Catalogue, added: BoundVoice[]) =>
  bodiesOf({ ...catalogue, voices: [...catalogue.voices, ...added] });

function bodiesOf({
  entries,
  voices,
  names,
  find,
}: Pick<Catalogue, "entries" | "voices" | "names" | "find">) {
  const speechModels = entries.filter((entry) => isTts(entry) && entry.version !== null);
  const speaks = (id: string) => speechModels.some((entry) => entry.id === find(id)?.id);
  const aliases = names.models.filter(({ targets: [target] }) => speaks(target));
  const models = [
    ...speechModels.map(({ id, manifest }) => ({ id, name: manifest.name })),
    ...aliases.map(({ name }) => ({ id: name, name })),
  ];
  const listed = voices.map(({ id, name, locale, gender }) => ({ id, name, locale, gender }));
  return {
    voices: listOf({ voices: listed }),
    voiceIds: listOf({ voices: voices.map(({ id }) => id) }),
    models: listOf({ object: "list", models }),
  };
}
