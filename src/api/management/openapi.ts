/** The OpenAPI description of a management route. Path parameters are added by the generator. */
import type { TSchema } from "typebox";
import { RETRY } from "../middleware/retry-after.ts";
import type { Route } from "./schema/route.ts";

const WHO: Record<Route["needs"], string> = {
  anyone: "No sign-in required.",
  user: "Requires a signed-in user.",
  member: "Requires a member of the organization.",
  admin: "Requires an admin of the organization.",
  owner: "Requires an owner of the organization.",
  operator: "Requires an operator of this server.",
};

export function detailOf({ summary, needs, query, body, reply, redirects, ...route }: Route): object {
  const status = redirects ? 302 : reply ? (route.status ?? 200) : 204;
  const response = reply && !redirects ? { content: json(reply) } : {};
  return {
    summary,
    description: `${WHO[needs]}${asked(query)}`,
    tags: ["Console"],
    ...(body ? { requestBody: { required: true, content: json(body) } } : {}),
    responses: { [status]: { description: summary, ...response }, ...RETRY },
    security: needs === "anyone" ? [] : [{ session: [] }],
  };
}

const json = (schema: TSchema) => ({ "application/json": { schema } });

/** In words, because the generator omits query parameters of routes with path parameters. */
function asked(query: TSchema | undefined): string {
  const names = Object.keys((query as { properties?: object } | undefined)?.properties ?? {});
  return names.length === 0 ? "" : ` Query parameters: ${names.join(", ")}.`;
}
