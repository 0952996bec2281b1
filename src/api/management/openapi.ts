/** The OpenAPI description of a management route. */
import type { TSchema } from "typebox";
import type { Code } from "../../errors.ts";
import { json, operation } from "../openapi/operation.ts";
import type { Needs, Route } from "./schema/route.ts";

const WHO: Record<Needs, string> = {
  anyone: "No sign-in required.",
  user: "Requires a signed-in user.",
  member: "Requires a member of the organization.",
  admin: "Requires an admin of the organization.",
  owner: "Requires an owner of the organization.",
  operator: "Requires an operator of this server.",
};

const CONFIRMS = "People with a second factor must have given a code within the last 15 minutes.";

const SIGNED_IN = ["not_signed_in"] as const;
const MEMBER = [...SIGNED_IN, "not_found", "two_factor_required"] as const;
const REFUSALS: Record<Needs, readonly Code[]> = {
  anyone: [],
  user: SIGNED_IN,
  member: MEMBER,
  admin: [...MEMBER, "insufficient_role"],
  owner: [...MEMBER, "owner_required"],
  operator: [...SIGNED_IN, "operator_required", "two_factor_required"],
};
const ALWAYS = ["rate_limit_exceeded", "internal_error", "service_unavailable"] as const;

/** `name`: method and path, as in the schema of the routes. */
export function detailOf(name: string, { summary, needs, query, body, reply, ...route }: Route) {
  const { confirms, redirects, download } = route;
  const [method, path] = name.split(" ") as [string, string];
  const status = redirects ? 302 : reply || download ? (route.status ?? 200) : 204;
  const changes = method !== "GET" && needs !== "anyone";
  return operation({
    id: idOf(method, path),
    summary,
    description: confirms ? `${WHO[needs]} ${CONFIRMS}` : WHO[needs],
    tag: "Dashboard",
    access: needs === "anyone" ? "none" : "session",
    path: Object.fromEntries(
      [...path.matchAll(/:(\w+)/g)].map(([, id]) => [id!, { description: `The id of the ${id}.` }]),
    ),
    query: parametersOf(query),
    ...(body ? { body: { required: true, content: json(body) } } : {}),
    ok: { status, description: summary, ...contentOf(reply, route) },
    refusals: [
      ...REFUSALS[needs],
      ...(confirms ? (["confirmation_required"] as const) : []),
      ...(changes ? (["csrf_failed"] as const) : []),
      ...(body || query ? (["validation_error"] as const) : []),
      ...ALWAYS,
    ],
  });
}

const FILES = {
  rows: {
    "text/csv": { schema: { type: "string" } },
    "application/json": { schema: { type: "array", items: { type: "object" } } },
  },
  speech: {
    "audio/*": { schema: { type: "string", format: "binary" } },
    "text/plain": { schema: { type: "string", description: "Subtitles." } },
  },
  archive: { "application/zip": { schema: { type: "string", format: "binary" } } },
};

function contentOf(
  reply: TSchema | undefined,
  { redirects, download }: Pick<Route, "redirects" | "download">,
) {
  if (download) return { content: FILES[download] };
  return reply && !redirects ? { content: json(reply) } : {};
}

/** "GET /api/organizations/:organization/keys" -> "getOrganizationsKeys". */
function idOf(method: string, path: string): string {
  const words = path
    .split("/")
    .slice(2)
    .map((part) => part.replace(/^:(.*)/, "By-$1").split("-"));
  return (
    method.toLowerCase() +
    words
      .flat()
      .map((word) => word[0]!.toUpperCase() + word.slice(1))
      .join("")
  );
}

function parametersOf(query: TSchema | undefined) {
  const properties = Object.entries(
    (query as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {},
  );
  return properties.map(([name, schema]) => ({ name, schema }));
}
