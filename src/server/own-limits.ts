/** The store that limits are counted in: of this node alone, or of all nodes of its database. */

import type { Clock } from "../clock.ts";
import type { Skew } from "../cluster/cluster.ts";
import type { Config } from "../config/config.ts";
import type { PostgresDatabase } from "../db/open-postgres.ts";
import { takeInAdvance } from "../limits/advance/advance.ts";
import { atCommonTime } from "../limits/common-time.ts";
import { failOver } from "../limits/fail-over.ts";
import type { LimitStore } from "../limits/limits.ts";
import { openPostgresLimits } from "../limits/postgres.ts";
import { openSqliteLimits } from "../limits/sqlite.ts";
import type { Log } from "../log/log.ts";
import type { Metrics } from "../metrics/metrics.ts";

type LimitDeps = {
  postgres: PostgresDatabase | null;
  skew: Skew;
  clock: Clock;
  log: Log;
  metrics: Metrics;
};

/** Nodes of one database count together: in Redis, or else in PostgreSQL. */
export async function openLimits(
  { data }: Config,
  { postgres, skew, clock, log, metrics }: LimitDeps,
): Promise<LimitStore> {
  if (data.limitsUrl === null && postgres === null) return openSqliteLimits(data.folder, log);
  const store =
    data.limitsUrl === null
      ? openPostgresLimits(postgres!)
      : await (await import("../limits/redis.ts")).openRedisLimits(data.limitsUrl);
  const counted = failOver(store, log, () => metrics.count("loquat_limit_store_failures_total"));
  const common = atCommonTime(counted, () => skew.ms);
  const limits = takeInAdvance(common, clock);
  await limits.inFlight("", clock.now()); // logs a store that does not answer before the first request needs it
  return limits;
}
