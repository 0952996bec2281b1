/** Routes of operators: upstreams, the speech servers elsewhere whose models this server offers. */
import Type from "typebox";
import { nullable, Text, Whole } from "./records.ts";
import type { Routes } from "./route.ts";

const Server = Type.Object({
  url: Text,
  /** `paused`: it is busy. `out`: it failed repeatedly. `trial`: one request shows whether it works again. */
  state: Type.Enum(["up", "trial", "paused", "out"]),
  in_flight: Whole,
  /** To the first byte, averaged over the last requests; null before the first. */
  latency_ms: nullable(Type.Number()),
  succeeded: Whole,
  failed: Whole,
  last_failure: nullable(Text),
});

const Upstream = Type.Object({
  object: Type.Literal("upstream"),
  name: Text,
  preset: Text,
  title: Text,
  urls: Type.Array(Text),
  /** `folder`: a file of LOQUAT_MODELS, which is edited there. */
  source: Type.Enum(["own", "folder"]),
  /** Whether texts and recordings go to another company. */
  leaves_host: Type.Boolean(),
  models: Type.Array(
    Type.Object({
      id: Text,
      upstream_model: Text,
      type: Type.Enum(["tts", "stt", "llm"]),
      /** The day from which its server no longer has it; null where none is known. */
      shutdown_date: nullable(Text),
      /** The names of clients that lead to it, besides its id. */
      names: Type.Array(Text),
      /** A voice of it, to hear it; null where it does not speak, or another upstream speaks in its place. */
      sample: nullable(Type.Object({ model: Text, voice: Text, language: Text })),
    }),
  ),
  /** Whether it is asked every ten minutes for its models. */
  follows: Type.Boolean(),
  /** As the node that answers sees them; none before its first request to them. */
  servers: Type.Array(Server),
});

const Name = Type.String({ pattern: "^[a-z0-9][a-z0-9-]*$", maxLength: 64 });
const ServerName = Type.String({ minLength: 1, maxLength: 256 });

export const upstreamRoutes = {
  "GET /api/operator/upstreams": {
    summary: "List upstreams with the state of their servers, and the presets for others",
    needs: "operator",
    reply: Type.Object({
      object: Type.Literal("list"),
      data: Type.Array(Upstream),
      presets: Type.Array(Type.Object({ name: Text, title: Text, leaves_host: Type.Boolean() })),
    }),
  },
  "POST /api/operator/upstreams": {
    summary: "Add a server by what it lists, or replace the upstream of this name",
    needs: "operator",
    status: 201,
    body: Type.Object({
      name: Name,
      preset: Name,
      urls: Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { minItems: 1, maxItems: 32 }),
      /** The environment variable of the server that holds the key. */
      key_env: Type.Optional(nullable(Type.String({ pattern: "^UPSTREAM_[A-Z0-9_]+$", maxLength: 128 }))),
      /** Only these models and voices, or those of a server that lists none. */
      models: Type.Optional(Type.Array(ServerName, { maxItems: 200 })),
      voices: Type.Optional(Type.Array(ServerName, { maxItems: 1000 })),
      /** Ask the server every ten minutes, and offer what it lists then. Not with `models`, which stay as they are. */
      follow: Type.Optional(Type.Boolean()),
    }),
    reply: Upstream,
  },
  "POST /api/operator/upstreams/:upstream/test": {
    summary: "Send each model of an upstream one request, for a minute at most",
    needs: "operator",
    reply: Type.Object({
      object: Type.Literal("list"),
      data: Type.Array(Type.Object({ model: Text, ok: Type.Boolean(), message: Text })),
    }),
  },
  "DELETE /api/operator/upstreams/:upstream": {
    summary: "Remove an upstream; every node follows within a second",
    needs: "operator",
    confirms: true,
  },
} as const satisfies Routes;
