/** What operators edit while servers run: upstreams, and the aliases and prices of models and the conversations, which may be theirs. */
import { openAudit } from "../audit/audit-events.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import type { Database } from "../db/database.ts";
import type { Log } from "../log/log.ts";
import type { Catalogue } from "../models/catalogue.ts";
import type { PriceList } from "../models/live-catalogue.ts";
import { openPriceAdmin } from "../models/price-admin.ts";
import { followUpstreams, type InForce } from "../upstreams/edits.ts";
import { followEnvironmentModel } from "../upstreams/environment-model.ts";
import { followModels } from "../upstreams/followed-models.ts";
import { dayOf, openUpstreamOperations } from "../upstreams/operations.ts";
import type { UpstreamSet } from "../upstreams/upstreams.ts";
import { auditedUpstreams } from "./audited-edits.ts";
import { openAliases, refreshAliases } from "./live-aliases.ts";
import { followConversations } from "./live-conversations.ts";

type Edited = {
  database: Database;
  upstreams: InForce & { set: UpstreamSet };
  clock: Clock;
  catalogue: Catalogue;
  priceList: PriceList;
  encodesAac: boolean;
  log: Log;
};

/** Followed until `stack` is disposed. */
export async function followEdits(stack: AsyncDisposableStack, config: Config, deps: Edited) {
  const audited = { database: deps.database, audit: openAudit(deps.database, deps.clock) };
  const store = auditedUpstreams(audited);
  const upstreamAdmin = stack.use(await followUpstreams(store, deps.upstreams, deps.log));
  const aliases = await openAliases(config, audited, deps);
  stack.use(refreshAliases(aliases, deps.log));
  const { set } = deps.upstreams;
  const conversations = stack.use(
    await followConversations(audited, { catalogue: deps.catalogue, set }, deps.log),
  );
  stack.use(followModels({ set, admin: upstreamAdmin, folder: config.models.folder, log: deps.log }));
  const { languageModel } = config;
  if (languageModel !== null)
    stack.use(followEnvironmentModel(languageModel, { set, log: deps.log, today: dayOf(deps.clock) }));
  const operated = { set, admin: upstreamAdmin, clock: deps.clock };
  return {
    upstreamAdmin,
    aliases,
    prices: openPriceAdmin({ ...deps, list: deps.priceList }),
    conversations,
    upstreamOperations: openUpstreamOperations(config, operated),
  };
}
