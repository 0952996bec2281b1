/** Upstreams as an operator manages them: their models, how their servers are, adding, trying and removing them. */

import { invalidInput, Refusal } from "../../../errors.ts";
import { voiceOf } from "../../../models/catalogue.ts";
import { engineName } from "../../../upstreams/definition.ts";
import { namesFor, shutdownDateOf } from "../../../upstreams/shutdown-dates.ts";
import type { ServerStatus } from "../../../upstreams/upstream.ts";
import type { UpstreamSet } from "../../../upstreams/upstreams.ts";
import type { upstreamRoutes } from "../schema/upstream-routes.ts";
import { type Handlers, notFound, type Reads } from "./handler.ts";

const TEST_MS = 60_000;

type Listed = ReturnType<UpstreamSet["list"]>[number];

type UpstreamDeps = Reads<"catalogue" | "aliases" | "upstreams" | "upstreamAdmin" | "upstreamOperations">;

export function upstreamHandlers(deps: UpstreamDeps): Handlers<typeof upstreamRoutes> {
  const { catalogue, aliases, upstreams, upstreamAdmin, upstreamOperations } = deps;
  const named = (name: string) => upstreams.set.list().find(({ definition }) => definition.name === name);

  const recordOf = ({ definition, preset, source }: Listed) => ({
    object: "upstream" as const,
    name: definition.name,
    preset: definition.preset,
    title: preset.title,
    urls: definition.urls,
    source,
    leaves_host: preset.leaves_host,
    models: definition.models.map(({ model, upstream_model, type }) => ({
      ...{ id: model, upstream_model, type },
      shutdown_date: shutdownDateOf({ preset }, upstream_model),
      names: namesFor(aliases.current(), model),
      sample: voiceOf(catalogue, engineName(definition, { model })),
    })),
    follows: definition.follow !== undefined,
    servers: upstreams.servers(definition.name).map(serverRecord),
  });

  return {
    "GET /api/operator/upstreams": async () => ({
      object: "list",
      data: upstreams.set.list().map(recordOf),
      presets: [...upstreams.set.presets].map(([name, value]) => {
        const { title, leaves_host } = value as { title: string; leaves_host: boolean };
        return { name, title, leaves_host };
      }),
    }),
    async "POST /api/operator/upstreams"({
      body: { name, preset, urls, key_env, models = [], voices = [], follow = false },
    }) {
      if (named(name)?.source === "folder") throw ofTheFolder(name);
      if (follow && models.length > 0) throw followsAll();
      const credential = key_env == null ? null : { env: key_env };
      const choices = models.map((theirs) => ({ theirs, ours: null, type: null }));
      const additions = {
        choices,
        voices,
        languages: [],
        fallback: null,
        priceMicros: null,
        tokenMicros: null,
      };
      const upstream = { name, preset, urls, credential, flags: {}, additions, follows: follow };
      await upstreamOperations.add(upstream);
      return recordOf(named(name)!);
    },
    async "POST /api/operator/upstreams/:upstream/test"({ ids }) {
      const data = await upstreamOperations.attempt(ids.upstream, AbortSignal.timeout(TEST_MS));
      if (data === null) throw notFound("upstream");
      return { object: "list", data };
    },
    async "DELETE /api/operator/upstreams/:upstream"({ ids }) {
      if (named(ids.upstream)?.source === "folder") throw ofTheFolder(ids.upstream);
      if (!(await upstreamAdmin.remove(ids.upstream))) throw notFound("upstream");
    },
  };
}

const serverRecord = ({ url, state, inFlight, latencyMs, succeeded, failed, lastFailure }: ServerStatus) => ({
  ...{ url, state, succeeded, failed },
  in_flight: inFlight,
  latency_ms: latencyMs,
  last_failure: lastFailure,
});

const followsAll = () =>
  invalidInput([
    {
      field: "follow",
      code: "malformed",
      message: "must be false where models are named, which stay as they are",
    },
  ]);

const ofTheFolder = (name: string) =>
  new Refusal("validation_error", `${name} is a file of LOQUAT_MODELS on this server, and is edited there.`);
