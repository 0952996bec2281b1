/**
 * The OpenAPI documents: one of the public API, one of the API that the dashboard uses. The framework's generator reads
 * the routes; this adds what it cannot know.
 */
import { toOpenAPISchema } from "@elysiajs/openapi";
import type { AnyElysia } from "elysia";
import { version } from "../../../package.json";
import { COMPONENTS } from "./components.ts";
import { type Operation, TAGS } from "./operation.ts";

export type DocumentName = "public" | "management";

const DESCRIPTIONS = {
  public:
    "Text to speech, transcription and live transcription, compatible with OpenAI's clients. Every error has the same envelope, and its `code` is permanent. Live sessions use the WebSocket at `/v1/realtime`, which OpenAPI cannot describe: see `/docs/realtime`.",
  management:
    "What the dashboard calls, with the session of a signed-in person. It may change with any release.",
};

const SESSION = {
  ...{ type: "apiKey", in: "cookie", name: "svc_session" },
  description:
    "As signing in set it: its name ends in a mark of the installation, such as svc_session_1a2b3c4d.",
};

const EXCLUDED = {
  public: [/^\/api\//, /^\/docs/],
  management: [/^\/(?:v1|dev)\//, /^\/docs/, /^\/(?:healthz|readyz|metrics)$/],
};

type Parameter = { name: string; in: string; required: boolean; schema: object };
type Generated = {
  tags?: string[];
  parameters?: Parameter[];
  "x-parameters"?: Required<Pick<Operation, "path" | "query" | "headers">>;
};

/** `origin`: under which clients reach this server. */
export function openApiDocument(app: AnyElysia, name: DocumentName, origin: string): object {
  const generated = toOpenAPISchema(app, { paths: EXCLUDED[name] }).paths as Record<string, object>;
  const paths = Object.entries(generated).map(([path, methods]) => [path, withParameters(methods)] as const);
  const inOrder = paths.toSorted(([, one], [, other]) => orderOf(one) - orderOf(other));
  const tags = new Set(
    inOrder.flatMap(([, methods]) => operationsOf(methods).flatMap((operation) => operation.tags ?? [])),
  );
  return {
    openapi: "3.1.1",
    info: {
      title: name === "public" ? "Loquat" : "Loquat management API",
      version,
      description: DESCRIPTIONS[name],
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: origin }],
    tags: Object.entries(TAGS).flatMap(([tag, description]) =>
      tags.has(tag) ? [{ name: tag, description }] : [],
    ),
    paths: Object.fromEntries(inOrder),
    components: {
      schemas: name === "public" ? COMPONENTS : { Error: COMPONENTS.Error },
      securitySchemes:
        name === "public"
          ? {
              key: { type: "http", scheme: "bearer", description: "An API key, or a client secret." },
              admin: { type: "http", scheme: "bearer", description: "An admin key." },
            }
          : { session: SESSION },
    },
  };
}

const operationsOf = (methods: object): Generated[] => Object.values(methods);

/** Audio first: the order of the tags. */
const orderOf = (methods: object): number =>
  Object.keys(TAGS).indexOf(operationsOf(methods)[0]?.tags?.[0] ?? "");

function withParameters(methods: object): object {
  const described = Object.entries(methods as Record<string, Generated>).map(([method, operation]) => {
    const { "x-parameters": texts, parameters = [], ...rest } = operation;
    const all = [
      ...parameters.map((parameter) => ({ ...parameter, ...texts?.path[parameter.name] })),
      ...(texts?.query ?? []).map((parameter) => ({ ...parameter, in: "query", required: false })),
      ...(texts?.headers ?? []).map((parameter) => ({ ...parameter, in: "header", required: false })),
    ];
    return [method, all.length > 0 ? { ...rest, parameters: all } : rest];
  });
  return Object.fromEntries(described);
}
