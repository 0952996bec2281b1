/** Adding and trying upstreams on a running server. */
import type { Clock } from "../../clock.ts";
import { type Config, readCredential } from "../../config.ts";
import { readManifests } from "../../models/manifest.ts";
import { readPackages } from "../../models/packages/package.ts";
import type { UpstreamAdmin } from "../../models/upstream/upstream-admin.ts";
import { discovered, type UpstreamOperations } from "../../models/upstream/upstream-operations.ts";
import type { UpstreamSet } from "../../models/upstream/upstream-set.ts";
import { tryUpstream } from "./try-upstream.ts";

/** How long a server may take to list its models and voices. */
export const DISCOVERY_MS = 30_000;

type Operated = { set: UpstreamSet; admin: Pick<UpstreamAdmin, "put">; clock: Clock };

export function openUpstreamOperations(
  { models: { folder } }: Config,
  { set, admin, clock }: Operated,
): UpstreamOperations {
  return {
    async add(upstream) {
      const known = { ...knownFrom(folder), credential: readCredential, today: dayOf(clock) };
      return admin.put(await discovered(upstream, { set, ...known }, AbortSignal.timeout(DISCOVERY_MS)));
    },
    async attempt(name, signal) {
      const found = set.list().find(({ definition }) => definition.name === name);
      return found ? tryUpstream(set, found.definition, signal) : null;
    },
  };
}

/** What the catalogue's folder says of models that upstreams serve. */
export function knownFrom(folder: string) {
  const packages = readPackages(folder);
  return {
    shipped: readManifests(folder, packages.keys()),
    whisperLanguages: packages.get("whisper-base")?.recognition?.[0]?.languages ?? [],
  };
}

export const dayOf = (clock: Clock): string => new Date(clock.now()).toISOString().slice(0, 10);
