/** A route of the organization API: what it needs and takes, its answer, and one handler that knows no HTTP. */
import { Elysia } from "elysia";
import Type, { type Static, type TSchema } from "typebox";
import type { AdminPrincipal } from "../../../accounts/principal.ts";
import { type Code, type Detail, invalidInput, Refusal } from "../../../errors.ts";
import { type Checker, checker } from "../../../schema.ts";
import type { AdminScope } from "../../../scopes.ts";
import { type BodyTimeouts, ignoreBody, readJson } from "../../middleware/body/body.ts";
import { json, operation } from "../../openapi/operation.ts";
import type { AdminAccess } from "./admin-access.ts";
import { readQuery } from "./admin-query.ts";

/** `ids`: those of the path, of the form of an id. */
export type AdminCall<Query = unknown, Body = unknown> = {
  principal: AdminPrincipal;
  ids: Record<string, string>;
  query: Query;
  body: Body;
};

type About = {
  method: "GET" | "POST" | "DELETE";
  /** Below /v1/organization. */
  path: string;
  /** The name of the function in generated clients. */
  id: string;
  summary: string;
  scope: AdminScope;
  reply: TSchema;
  refusals?: readonly Code[];
};

export type AdminRoute = About & { query: TSchema; body: TSchema | null; handle: Handle };
type Handle = (call: AdminCall<never, never>) => Promise<object>;

const NONE = Type.Object({});

/** The handler's types follow from the schemas. */
export function adminRoute<Q extends TSchema = typeof NONE, B extends TSchema = typeof NONE>(
  route: About & {
    query?: Q;
    body?: B;
    handle: (call: AdminCall<Static<Q>, Static<B>>) => Promise<object>;
  },
): AdminRoute {
  const { query = NONE, body = null, handle, ...about } = route;
  return { ...about, query, body, handle: handle as Handle };
}

/** What every route may answer. */
const REFUSALS = [
  ...(["missing_api_key", "invalid_api_key", "api_key_revoked", "api_key_expired"] as const),
  ...(["insufficient_scope", "rate_limit_exceeded", "internal_error", "service_unavailable"] as const),
];
const BODY_LIMIT = 64 * 1024;
/** The form of all ids. */
const ID = /^[\w.-]{1,100}$/;

export type AdminRouteDeps = { access: AdminAccess; timeouts: BodyTimeouts };

export function adminRoutes(deps: AdminRouteDeps, routes: AdminRoute[]): Elysia {
  const app = new Elysia();
  for (const route of routes)
    app.route(
      route.method,
      `/v1/organization${route.path}`,
      openHandler(deps, route) as (call: { request: Request; params: Record<string, string> }) => unknown,
      { parse: "none", detail: detailOf(route) },
    );
  return app;
}

function openHandler({ access, timeouts }: AdminRouteDeps, { scope, query, body, handle }: AdminRoute) {
  const checkedQuery = checker(query);
  const checkedBody = body && checker(body);
  return async ({ request, params = {} }: { request: Request; params?: Record<string, string> }) => {
    const principal = await access(request, scope);
    for (const [kind, id] of Object.entries(params)) if (!ID.test(id)) throw noSuch(kind);
    const call = { principal, ids: params, query: readQuery(checkedQuery, request.url) as never };
    if (checkedBody)
      return handle({ ...call, body: (await readBody(request, checkedBody, timeouts)) as never });
    await ignoreBody(request, timeouts);
    return handle({ ...call, body: {} as never });
  };
}

async function readBody(request: Request, checked: Checker<TSchema>, timeouts: BodyTimeouts) {
  const { value, details } = checked.check(
    withoutNulls(await readJson(request, timeouts, { whenEmpty: {}, limitBytes: BODY_LIMIT })),
  );
  if (details !== null) throw invalidInput(details);
  return checked.clean(value);
}

/** Stock clients send null for what they leave out. */
const withoutNulls = (body: unknown): unknown =>
  typeof body === "object" && body !== null && !Array.isArray(body)
    ? Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
    : body;

/** The same for what does not exist and for what is another organization's. */
export const noSuch = (kind: string): Refusal =>
  new Refusal("not_found", `There is no such ${kind.replaceAll("_", " ")}.`);

export const outOfRange = (field: string, message: string): Refusal =>
  invalidInput([{ field, code: "out_of_range", message } satisfies Detail]);

function detailOf({ method, path, id, summary, scope, query, body, reply, refusals = [] }: AdminRoute) {
  const parameters = Object.entries((query as { properties?: Record<string, TSchema> }).properties ?? {});
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  return operation({
    id,
    summary,
    description: `Needs an admin key with the scope \`${scope}\`. Not metered; 600 requests a minute of an organization.`,
    tag: "Organization",
    access: "admin",
    path: Object.fromEntries(
      names.map((name) => [name, { description: `The id of the ${name.replaceAll("_", " ")}.` }]),
    ),
    query: parameters.map(([name, schema]) => {
      const { description = "", ...shape } = schema as TSchema & { description?: string };
      return { name, description, schema: shape };
    }),
    ...(body ? { body: { required: true, content: json(body) } } : {}),
    ok: { description: summary, content: json(reply) },
    refusals: [
      ...REFUSALS,
      ...(names.length > 0 ? (["not_found"] as const) : []),
      ...(parameters.length > 0 || body ? (["validation_error"] as const) : []),
      ...(method === "GET" ? [] : (["organization_suspended"] as const)),
      ...refusals,
    ],
  });
}
