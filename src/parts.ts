/**
 * Opens every part of a server, and closes them in reverse. What a part starts (threads, processes) it starts when
 * first needed, so that a command that only lists voices opens no engine.
 */
import { type Decoder, openDecoder } from "./audio/decode.ts";
import { type Books, openBooks } from "./books.ts";
import { buildCatalogue, type Catalogue } from "./catalog/catalogue.ts";
import { readManifests } from "./catalog/manifest.ts";
import { type Clock, systemClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { openChildren } from "./engine/children.ts";
import { installedFamilies, installedSilero } from "./engine/installed.ts";
import { openPool } from "./engine/pool.ts";
import { openQueue, type Queue } from "./engine/queue.ts";
import { lazily } from "./engine/runner.ts";
import { failOpen } from "./limit/fail-open.ts";
import type { LimitStore } from "./limit/limits.ts";
import { openRedisLimits } from "./limit/redis.ts";
import { openSqliteLimits } from "./limit/sqlite.ts";
import { type Log, openLog } from "./log.ts";
import { type Metrics, openMetrics } from "./metrics.ts";
import { type Ears, openEars } from "./realtime/ears.ts";
import { openEncoders } from "./speech/encoders.ts";
import type { Studio } from "./speech/render.ts";
import { openSpeakers } from "./speech/speakers.ts";
import { type LiveRecogniser, openRehearing } from "./transcript/live.ts";
import { type Meter, openMeter } from "./usage/meter.ts";

/** The longest recording a transcription takes. */
const AUDIO_LIMIT_SECONDS = 600;

const worker = (name: string) => new URL(`../workers/${name}.ts`, import.meta.url);

/** Engines and what feeds them: everything that speaks and hears, and no account. */
export type Engines = AsyncDisposable & {
  catalogue: Catalogue;
  studio: Studio;
  decoder: Decoder;
  recogniser: Queue;
  ears: Ears;
  live: LiveRecogniser;
};

export function openEngines({ models, engine }: Config): Engines {
  const installed = installedFamilies();
  const catalogue = buildCatalogue(readManifests(models.folder), (family) => installed.has(family));
  const stack = new AsyncDisposableStack();
  const size = engine.threads;
  const speakers = stack.use(
    openSpeakers(
      {
        flite: (options) => openPool(worker("flite"), options),
        espeak: (options) => openChildren(worker("espeak"), options),
      },
      { size, queueMax: 64 * size },
    ),
  );
  const openLane = () => openPool(worker("encode"), { size: 1, queueMax: 1024 });
  const hearing = { size, queueMax: 16 * size };
  const encoders = stack.use(openEncoders(openLane, Math.ceil(size / 4)));
  const recogniser = stack.use(
    openQueue(
      lazily(() => openPool(worker("sphinx"), hearing)),
      hearing,
    ),
  );
  const liveSize = { size, queueMax: 1024 };
  // threads of their own: a long file must not keep a conversation waiting
  const liveQueue = stack.use(
    openQueue(
      lazily(() => openPool(worker("sphinx"), liveSize)),
      liveSize,
    ),
  );
  const model = installedSilero(models.weights);
  const openEarLane = () => openPool(worker("ear"), { size: 1, queueMax: 1, data: { model } });
  const ears = stack.use(openEars(openEarLane, Math.ceil(size / 4)));
  const wavReader = stack.use(lazily(() => openPool(worker("wav"), { size: 1, queueMax: 64 })));
  const decoder = openDecoder({
    maxSeconds: AUDIO_LIMIT_SECONDS,
    timeoutMs: 60_000,
    childrenMax: size,
    wavReader,
    script: worker("decode"),
    installed: installed.has("decode"),
  });
  return {
    catalogue,
    studio: { speakers, encoders },
    decoder,
    recogniser,
    ears,
    live: openRehearing(liveQueue),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

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
