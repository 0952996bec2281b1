/**
 * The caps of a project as OpenAI's clients manage them: /v1/organization/projects/{project} with its rate_limits, model_permissions
 * and spend_limit. They are parts of its `restrictions`, of which the rest stays as it is.
 */
import Type from "typebox";
import type { Accounts } from "../../../accounts/accounts.ts";
import type { Project } from "../../../accounts/projects.ts";
import { type NewRestrictions, restrictionsRecord } from "../../../restrictions.ts";
import { type AdminRoute, adminRoute } from "./admin-route.ts";
import { noSuch } from "./keyed-route.ts";
import { listOf, PAGED_BOTH_WAYS, pageOf, partOf } from "./listing.ts";
import { ownProject, type ProjectCall } from "./projects.ts";
import { given, nullable } from "./records.ts";
import { CENT_MICROS, Cents, Dollars, Monthly } from "./spend-limit.ts";

type CapsDeps = { accounts: Accounts };
type Parts = Pick<NewRestrictions, "limits" | "models" | "budget">;

/** Reads and writes parts of the restrictions of the project of a path. */
function openParts({ accounts }: CapsDeps) {
  const own = ownProject(accounts);
  const partsOf = (project: Project): NewRestrictions => restrictionsRecord(project.restrictions) ?? {};
  return {
    read: async (call: ProjectCall): Promise<Parts> => partsOf(await own(call)),
    async write(call: ProjectCall, change: (parts: Parts) => Parts): Promise<Parts> {
      const project = await own(call);
      const { addresses: _, ...parts } = partsOf(project);
      const restrictions = { ...parts, ...change(parts) };
      await accounts.updateProject(project.id, { restrictions });
      return restrictions;
    },
  };
}

export const projectCapRoutes = (deps: CapsDeps): AdminRoute[] => [
  ...rateLimitRoutes(deps),
  ...modelPermissionRoutes(deps),
  ...projectSpendLimitRoutes(deps),
];

const RATE_LIMIT = "project.rate_limit";
const KINDS = [
  {
    id: "rl_speech",
    model: "speech",
    own: "max_characters_per_1_minute",
    limit: "tts_characters_per_minute",
  },
  {
    id: "rl_transcription",
    model: "transcription",
    own: "max_seconds_per_1_minute",
    limit: "stt_seconds_per_minute",
  },
] as const;
type Kind = (typeof KINDS)[number];

/** Null: no limit beside the organization's. Tokens are characters of speech, or seconds of audio. */
const RateLimit = Type.Object({
  object: Type.Literal(RATE_LIMIT),
  id: Type.Enum(KINDS.map(({ id }) => id)),
  model: Type.Enum(KINDS.map(({ model }) => model)),
  max_requests_per_1_minute: nullable(Type.Integer()),
  max_tokens_per_1_minute: nullable(Type.Integer()),
  max_characters_per_1_minute: Type.Optional(nullable(Type.Integer())),
  max_seconds_per_1_minute: Type.Optional(nullable(Type.Integer())),
});

const most = (description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: 1e9, description }));

const rateLimitOf = ({ limits }: Parts, { id, model, own, limit }: Kind) => {
  const most = limits?.[limit] ?? null;
  const requests = limits?.requests_per_minute ?? null;
  return {
    ...{ object: RATE_LIMIT, id, model },
    ...{ max_requests_per_1_minute: requests, max_tokens_per_1_minute: most, [own]: most },
  };
};

function rateLimitRoutes(deps: CapsDeps): AdminRoute[] {
  const { read, write } = openParts(deps);
  const path = "/projects/:project/rate_limits";
  return [
    adminRoute({
      ...{ method: "GET", path, id: "listProjectRateLimits", scope: "organization:read" },
      ...{ summary: "List the rate limits of a project", query: Type.Object(PAGED_BOTH_WAYS) },
      reply: listOf(RateLimit),
      async handle({ query, ...call }) {
        const parts = await read(call);
        const all = KINDS.map((kind) => rateLimitOf(parts, kind));
        return pageOf(query, async (place) => partOf(all, place));
      },
    }),
    adminRoute({
      ...{ method: "POST", path: `${path}/:rate_limit`, id: "updateProjectRateLimit", reply: RateLimit },
      ...{ scope: "organization:write", summary: "Change a rate limit of a project" },
      body: Type.Object({
        max_requests_per_1_minute: most("Requests, of both kinds together."),
        max_tokens_per_1_minute: most("Characters of speech, or seconds of audio."),
        max_characters_per_1_minute: most("The same, of speech."),
        max_seconds_per_1_minute: most("The same, of audio."),
      }),
      async handle({ body, ...call }) {
        const kind = KINDS.find(({ id }) => id === call.ids.rate_limit);
        if (kind === undefined) throw noSuch("rate limit");
        const { max_requests_per_1_minute: requests, max_tokens_per_1_minute: tokens } = body;
        const change = given({ requests_per_minute: requests, [kind.limit]: body[kind.own] ?? tokens });
        return rateLimitOf(await write(call, ({ limits }) => ({ limits: { ...limits, ...change } })), kind);
      },
    }),
  ];
}

const PERMISSIONS = "project.model_permissions";
const ModelIds = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
  ...{ maxItems: 200, description: "The ids of models, which need not exist." },
});
const Mode = Type.Enum(["allow_list", "deny_list"], { description: "Only these, or all but these." });
const Permissions = Type.Object({ object: Type.Literal(PERMISSIONS), mode: Mode, model_ids: ModelIds });

function permissionsOf({ models }: Parts) {
  if (!models) throw noSuch("restriction of models");
  return { object: PERMISSIONS, mode: models.mode, model_ids: models.ids };
}

function modelPermissionRoutes(deps: CapsDeps): AdminRoute[] {
  const { read, write } = openParts(deps);
  const path = "/projects/:project/model_permissions";
  return [
    adminRoute({
      ...{ method: "GET", path, id: "getModelPermissions", scope: "organization:read", reply: Permissions },
      summary: "Get which models a project may use",
      handle: async (call) => permissionsOf(await read(call)),
    }),
    adminRoute({
      ...{ method: "POST", path, id: "setModelPermissions", scope: "organization:write", reply: Permissions },
      summary: "Set which models a project may use",
      body: Type.Object({ mode: Mode, model_ids: ModelIds }),
      handle: async ({ body: { mode, model_ids: ids }, ...call }) =>
        permissionsOf(await write(call, () => ({ models: { mode, ids } }))),
    }),
    adminRoute({
      ...{ method: "DELETE", path, id: "deleteModelPermissions", scope: "organization:write" },
      summary: "Let a project use all models",
      reply: Type.Object({ object: Type.Literal(`${PERMISSIONS}.deleted`), deleted: Type.Literal(true) }),
      async handle(call) {
        await write(call, () => ({ models: null }));
        return { object: `${PERMISSIONS}.deleted`, deleted: true };
      },
    }),
  ];
}

const SPEND_LIMIT = "project.spend_limit";
const SpendLimit = Type.Object({ object: Type.Literal(SPEND_LIMIT), ...Dollars });

/** Budgets of other intervals are told by the project alone. */
function spendLimitOf({ budget }: Parts) {
  if (budget?.interval !== "month") throw noSuch("monthly spending limit");
  return {
    ...{ object: SPEND_LIMIT, threshold_amount: budget.limit_micros / CENT_MICROS },
    ...{ currency: "USD", interval: "month", enforcement: { status: "enforcing" } },
  };
}

function projectSpendLimitRoutes(deps: CapsDeps): AdminRoute[] {
  const { read, write } = openParts(deps);
  const path = "/projects/:project/spend_limit";
  return [
    adminRoute({
      ...{ method: "GET", path, id: "getProjectSpendLimit", scope: "organization:read", reply: SpendLimit },
      summary: "Get the budget of a project by the month",
      handle: async (call) => spendLimitOf(await read(call)),
    }),
    adminRoute({
      ...{ method: "POST", path, id: "setProjectSpendLimit", scope: "organization:write", reply: SpendLimit },
      summary: "Set the budget of a project by the month; it takes the place of another",
      body: Type.Object({ threshold_amount: Cents, ...Monthly }),
      handle: async ({ body, ...call }) => {
        const budget = { limit_micros: body.threshold_amount * CENT_MICROS, interval: "month" as const };
        return spendLimitOf(await write(call, () => ({ budget })));
      },
    }),
    adminRoute({
      ...{ method: "DELETE", path, id: "deleteProjectSpendLimit", scope: "organization:write" },
      summary: "Remove the budget of a project by the month",
      reply: Type.Object({ object: Type.Literal(`${SPEND_LIMIT}.deleted`), deleted: Type.Literal(true) }),
      async handle(call) {
        const isMonthly = (await read(call)).budget?.interval === "month";
        if (isMonthly) await write(call, () => ({ budget: null }));
        return { object: `${SPEND_LIMIT}.deleted`, deleted: true };
      },
    }),
  ];
}
