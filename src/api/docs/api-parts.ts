/** The operations of an OpenAPI document in their order, by tag, as the pages of the reference need them. */
import type { DocumentName } from "../openapi/document.ts";

/** Where the reference of each API is, below `/docs/`. */
export const ROOTS: Record<DocumentName, string> = { public: "api", management: "management" };

/** A JSON schema, as far as the pages read one. */
export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  patternProperties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  format?: string;
} & { [limit in "minimum" | "maximum" | "minLength" | "maxLength" | "minItems" | "maxItems"]?: number };

export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: JsonSchema;
};
export type Media = {
  schema?: JsonSchema;
  example?: unknown;
  examples?: Record<string, { value?: unknown; summary?: string }>;
};
export type ApiResponse = {
  description: string;
  content?: Record<string, Media>;
  headers?: Record<string, { description?: string; schema?: JsonSchema }>;
};

export type ApiOperation = {
  id: string;
  method: string;
  path: string;
  summary: string;
  description: string;
  /** The names of what may authorize it; none: it needs nothing. */
  access: string[];
  parameters: Parameter[];
  body: { content: Record<string, Media>; required?: boolean } | null;
  responses: Record<string, ApiResponse>;
  /** Names of fields and parameters, for the search. */
  fields: string[];
};

export type ApiPart = { tag: string; description: string; operations: ApiOperation[] };

export type Schemas = Record<string, JsonSchema>;

type Documented = {
  summary: string;
  description?: string;
  operationId: string;
  tags: string[];
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, Media>; required?: boolean };
  responses: Record<string, ApiResponse>;
};
export type OpenApi = {
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Documented>>;
  components: { schemas: Schemas };
};

export function partsOf({ tags, paths }: OpenApi): ApiPart[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, documented]) => ({
      tag: documented.tags[0] ?? "",
      operation: operationOf(method, path, documented),
    })),
  );
  return tags.map(({ name, description }) => ({
    ...{ tag: name, description },
    operations: operations.filter(({ tag }) => tag === name).map(({ operation }) => operation),
  }));
}

function operationOf(method: string, path: string, documented: Documented): ApiOperation {
  const { operationId, summary, description = "", parameters = [], requestBody, responses } = documented;
  const bodies = Object.values(requestBody?.content ?? {});
  return {
    ...{ id: operationId, method: method.toUpperCase(), path, summary, description, parameters, responses },
    access: (documented.security ?? []).flatMap((way) => Object.keys(way)),
    body: requestBody ?? null,
    fields: [
      ...parameters.map(({ name }) => name),
      ...bodies.flatMap(({ schema }) => Object.keys(schema?.properties ?? {})),
    ],
  };
}
