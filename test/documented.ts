/** Compares responses of the public API with openapi.json: what is not documented is a failure. */
import { readFileSync } from "node:fs";
import { checker } from "../src/schema.ts";

type Json = { [name: string]: Json };
type Operation = { responses: Record<string, { content?: Record<string, { schema: Json }> }> };

const document = JSON.parse(readFileSync(new URL("../openapi.json", import.meta.url), "utf8"));
const templates = Object.entries<Record<string, Operation>>(document.paths).map(([path, methods]) => ({
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
  methods,
}));

/** Throws where a response of a documented route has a status or a JSON body that its document does not have. */
export async function checkDocumented(method: string, path: string, response: Response): Promise<void> {
  const [pathname] = path.split("?") as [string];
  const methods = templates.find(({ pattern }) => pattern.test(pathname))?.methods;
  const operation = methods?.[method.toLowerCase()];
  if (operation === undefined) return;
  const where = `${method} ${pathname} ${response.status}`;
  const documented = operation.responses[response.status];
  if (documented === undefined) throw new Error(`${where} is not in openapi.json`);
  const type = response.headers.get("content-type")?.split(";")[0] ?? "";
  if (type !== "application/json" || response.body === null) return;
  const schema = documented.content?.[type]?.schema;
  if (schema === undefined) throw new Error(`${where} has no JSON body in openapi.json`);
  const { details } = checkerOf(schema).check(await response.clone().json());
  if (details !== null) throw new Error(`${where} differs from openapi.json: ${JSON.stringify(details)}`);
}

const checkers = new Map<Json, ReturnType<typeof checker>>();

function checkerOf(schema: Json) {
  const made = checkers.get(schema) ?? checker(closed(schema) as never);
  checkers.set(schema, made);
  return made;
}

/** With references in place, and without unknown fields where the document does not allow them. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const { $ref, ...rest } = schema as { $ref?: string };
  if ($ref !== undefined) return closed(document.components.schemas[$ref.split("/").at(-1)!]);
  const parts = Object.fromEntries(Object.entries(rest).map(([name, part]) => [name, closed(part)]));
  return "properties" in parts ? { additionalProperties: false, ...parts } : parts;
}
