/**
 * Opens every part of a server, and closes them in reverse. What a part starts (threads, processes) it starts when
 * first needed, so that a command that only lists voices opens no engine.
 */
import { type Books, openBooks } from "./books.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { type Engines, openEngines } from "./engines.ts";
import { failOpen } from "./limit/fail-open.ts";
import type { LimitStore } from "./limit/limits.ts";
import { openRedisLimits } from "./limit/redis.ts";
import { openSqliteLimits } from "./limit/sqlite.ts";
import { type Log, openLog } from "./log.ts";
import { type Metrics, openMetrics } from "./metrics.ts";
import { type Meter, openMeter } from "./usage/meter.ts";

export type Parts = AsyncDisposable &
  Engines &
  Books & { clock: Clock; log: Log; meter: Meter; metrics: Metrics };

export async function openParts(
  config: Config,
  clock: Clock = systemClock,
  log: Log = openLog(config.log.level),
): Promise<Parts> {
  await using stack = new AsyncDisposableStack(); // what was opened is closed where the next part fails
  const metrics = openMetrics();
  const books = stack.use(await openBooks(config, { clock, writer: "thread" }));
  const limits = stack.use(await openLimits(config, log, metrics));
  const meter = stack.use(openMeter({ ledger: books.ledger, limits, clock, log, metrics }));
  const engines = stack.use(openEngines(config));
  const opened = stack.move();
  const close = () => opened.disposeAsync();
  return { ...engines, ...books, clock, log, meter, metrics, [Symbol.asyncDispose]: close };
}

async function openLimits({ data }: Config, log: Log, metrics: Metrics): Promise<LimitStore> {
  if (data.limitsUrl === null) return openSqliteLimits(data.folder);
  const store = await openRedisLimits(data.limitsUrl);
  return failOpen(store, log, () => metrics.count("loquat_limit_store_failures_total"));
}
