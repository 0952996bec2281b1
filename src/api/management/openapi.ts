/** A route of the management API as the OpenAPI document says it; the ids of its path are found there without us. */
import type { TSchema } from "typebox";
import { RETRY } from "../middleware/retry-after.ts";
import type { Route } from "./schema/route.ts";

const WHO: Record<Route["needs"], string> = {
  anyone: "Needs nothing.",
  user: "Needs somebody who is signed in.",
  member: "Needs a member of the organization.",
  admin: "Needs an admin of the organization.",
  owner: "Needs an owner of the organization.",
  operator: "Needs whoever runs this server.",
};

export function detailOf({ summary, needs, query, body, reply, redirects, ...route }: Route): object {
  const status = redirects ? 302 : reply ? (route.status ?? 200) : 204;
  const shown = reply && !redirects ? { content: json(reply) } : {};
  return {
    summary,
    description: `${WHO[needs]}${asked(query)}`,
    tags: ["Console"],
    ...(body ? { requestBody: { required: true, content: json(body) } } : {}),
    responses: { [status]: { description: summary, ...shown }, ...RETRY },
    security: needs === "anyone" ? [] : [{ session: [] }],
  };
}

const json = (schema: TSchema) => ({ "application/json": { schema } });

/** In words: where a path has ids, the generator leaves other parameters out. */
function asked(query: TSchema | undefined): string {
  const names = Object.keys((query as { properties?: object } | undefined)?.properties ?? {});
  return names.length === 0 ? "" : ` Its query may have ${names.join(", ")}.`;
}
