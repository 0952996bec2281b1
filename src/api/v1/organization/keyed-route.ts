/** A route that is called with a key: what it takes, its answer, and one handler that knows no HTTP. `P`: who the key proves. */
import { Elysia } from "elysia";
import Type, { type Static, type TSchema } from "typebox";
import { type Actor, actingAs } from "../../../audit/actor.ts";
import { type Code, type Detail, invalidInput, Refusal } from "../../../errors.ts";
import { type Checker, checker } from "../../../schema.ts";
import { type BodyTimeouts, ignoreBody, readJson } from "../../middleware/body/body.ts";
import { type CallerOf, userAgentOf } from "../../middleware/caller.ts";
import { type Content, json, type Operation, operation } from "../../openapi/operation.ts";
import { readQuery } from "./admin-query.ts";

/** `ids`: those of the path, of the form of an id. */
export type KeyedCall<P, Query = unknown, Body = unknown> = {
  principal: P;
  ids: Record<string, string>;
  query: Query;
  body: Body;
  /** Whether the caller names this media type as one that it takes. */
  accepts(type: string): boolean;
  /** Aborted when the caller leaves. */
  signal: AbortSignal;
};

export type About = {
  method: "GET" | "POST" | "DELETE";
  path: string;
  /** The name of the function in generated clients. */
  id: string;
  summary: string;
  reply: TSchema;
  /** What else it may answer, by media type, to callers that accept it: a response is passed on as it is. */
  files?: Content;
  refusals?: readonly Code[];
};

type Handle<P> = (call: KeyedCall<P, never, never>) => Promise<object>;

export type KeyedRoute<P> = About & { query: TSchema; body: TSchema | null; handle: Handle<P> };

const NONE = Type.Object({});

/** The handler's types follow from the schemas. */
export type Given<P, Q extends TSchema = typeof NONE, B extends TSchema = typeof NONE> = {
  query?: Q;
  body?: B;
  handle: (call: KeyedCall<P, Static<Q>, Static<B>>) => Promise<object>;
};

export function keyedRoute<P, A extends About, Q extends TSchema, B extends TSchema>(
  route: A & Given<P, Q, B>,
): A & KeyedRoute<P> {
  const { query = NONE, body = null, handle } = route;
  return { ...route, query, body, handle: handle as Handle<P> };
}

/** `admit`: who the key of a request proves, with what that is in the audit log; throws where the route is not for them. */
export type Serving<P, R extends KeyedRoute<P>> = {
  admit(request: Request, route: R): Promise<{ principal: P; actor: Pick<Actor, "type" | "id"> }>;
  /** What the document says of it beside its schemas. */
  describe(route: R): Pick<Operation, "description" | "tag" | "access">;
  /** What its path begins with. */
  prefix: string;
  timeouts: BodyTimeouts;
  callerOf: CallerOf;
};

/** What a route is called with. */
type Received = { request: Request; params?: Record<string, string>; server: Parameters<CallerOf>[1] };

export function keyedRoutes<P, R extends KeyedRoute<P>>(serving: Serving<P, R>, routes: R[]): Elysia {
  const app = new Elysia();
  for (const route of routes)
    app.route(
      route.method,
      `${serving.prefix}${route.path}`,
      openHandler(serving, route) as (call: unknown) => unknown,
      { parse: "none", detail: detailOf(route, serving.describe(route)) },
    );
  return app;
}

const BODY_LIMIT = 64 * 1024;
/** The form of all ids. */
const ID = /^[\w.-]{1,100}$/;

function openHandler<P, R extends KeyedRoute<P>>(serving: Serving<P, R>, route: R) {
  const { admit, timeouts, callerOf } = serving;
  const { query, body, handle } = route;
  const checkedQuery = checker(query);
  const checkedBody = body && checker(body);
  return async ({ request, params = {}, server }: Received) => {
    const { principal, actor } = await admit(request, route);
    for (const [kind, id] of Object.entries(params)) if (!ID.test(id)) throw noSuch(kind);
    const call = { principal, ids: params, query: readQuery(checkedQuery, request.url) as never };
    if (!checkedBody) await ignoreBody(request, timeouts);
    const given = checkedBody ? await readBody(request, checkedBody, timeouts) : {};
    const from = { email: null, address: callerOf(request, server), userAgent: userAgentOf(request) };
    const { signal, headers } = request;
    const accepts = (type: string) => acceptedIn(headers).includes(type);
    return actingAs({ ...actor, ...from }, () => handle({ ...call, body: given as never, accepts, signal }));
  };
}

const acceptedIn = (headers: Headers): string[] =>
  (headers.get("accept") ?? "").split(",").map((range) => range.split(";", 1)[0]!.trim().toLowerCase());

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

/** What every route may answer. */
const REFUSALS = [
  ...(["missing_api_key", "invalid_api_key", "api_key_revoked", "api_key_expired"] as const),
  ...(["insufficient_scope", "rate_limit_exceeded", "internal_error", "service_unavailable"] as const),
];

function detailOf(
  { method, path, id, summary, query, body, reply, files, refusals = [] }: KeyedRoute<never>,
  said: Pick<Operation, "description" | "tag" | "access">,
) {
  const parameters = Object.entries((query as { properties?: Record<string, TSchema> }).properties ?? {});
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  return operation({
    id,
    summary,
    ...said,
    path: Object.fromEntries(
      names.map((name) => [name, { description: `The id of the ${name.replaceAll("_", " ")}.` }]),
    ),
    query: parameters.map(([name, schema]) => {
      const { description = "", ...shape } = schema as TSchema & { description?: string };
      return { name, description, schema: shape };
    }),
    ...(body ? { body: { required: true, content: json(body) } } : {}),
    ok: { description: summary, content: { ...json(reply), ...files } },
    refusals: [
      ...REFUSALS,
      ...(names.length > 0 ? (["not_found"] as const) : []),
      ...(parameters.length > 0 || body ? (["validation_error"] as const) : []),
      ...(method === "GET" ? [] : (["organization_suspended"] as const)),
      ...refusals,
    ],
  });
}
