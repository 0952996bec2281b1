/** Reads the fields of an identity route from a query or a JSON body, and checks each. */
import type { Role } from "../../accounts/memberships.ts";
import { type Detail, invalidInput } from "../../errors.ts";
import { violationOf } from "./fields.ts";
import type { OfferedRoute } from "./offered-routes.ts";

/** The fields of a request that its route takes; others are dropped. */
export type Input = Record<string, string> & { role?: Role; keys?: "revoke" | "keep" };

export async function readInput({ method, fields }: OfferedRoute, request: Request): Promise<Input> {
  const sent = method === "GET" ? queryOf(request) : await bodyOf(request);
  const input: Record<string, string> = {};
  const violations: Detail[] = [];
  for (const [field, { check, optional }] of Object.entries(fields)) {
    const value = Object.hasOwn(sent, field) ? sent[field] : undefined;
    const violation = violationOf(value, check);
    if (value === undefined && optional) continue;
    if (violation) violations.push({ field, ...violation });
    else input[field] = value as string;
  }
  if (violations.length > 0) throw invalidInput(violations);
  return input as Input;
}

const queryOf = ({ url }: Request): Record<string, unknown> => Object.fromEntries(new URL(url).searchParams);

async function bodyOf(request: Request): Promise<Record<string, unknown>> {
  const sent = await request.text();
  if (sent === "") return {};
  const body = /^application\/json\b/i.test(request.headers.get("content-type") ?? "")
    ? readJson(sent)
    : null;
  if (typeof body === "object" && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>;
  throw invalidInput([{ field: "", code: "malformed", message: "must be a JSON object" }]);
}

function readJson(sent: string): unknown {
  try {
    return JSON.parse(sent);
  } catch {
    return null;
  }
}
