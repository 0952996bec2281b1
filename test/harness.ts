/**
 * The one harness: the real app on its own port, over a fresh data folder, with the embedded engines and a
 * clock the test holds.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BuildPages, bundleWeb } from "../src/api/pages/web-bundle.ts";
import type { Clock } from "../src/clock.ts";
import { readConfig } from "../src/config/config.ts";
import { openLog } from "../src/log/log.ts";
import type { Plan } from "../src/plans.ts";
import { type AppOptions, buildApp } from "../src/server/app.ts";
import { openServices, type Services } from "../src/server/services.ts";
import { firstStart } from "../src/server/storage.ts";
import { checkDocumented } from "./documented.ts";
import { expectRemote, isAskedFor, joined, openTestNode } from "./engine-node.ts";
import { putMigrated } from "./migrated.ts";
import { serveApp } from "./serve-app.ts";
import { isUpstreamAskedFor, placesIn, putBehind } from "./upstream-behind.ts";

type HeldClock = Clock & { pass(ms: number): void };

export function heldClock(startMs = Date.UTC(2026, 0, 2, 3, 4, 5)): HeldClock {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    pass(ms) {
      nowMs += ms;
    },
  };
}

type LogLine = { level: string; event: string; [field: string]: unknown };

export type Harness = AsyncDisposable & {
  /** The server's origin; the API is under `${url}/v1`. */
  url: string;
  /** A live key with every scope. */
  key: string;
  organizationId: string;
  parts: Services;
  clock: HeldClock;
  logged: LogLine[];
  /** Asks with the key, unless the headers say otherwise, and compares the response with the OpenAPI document. */
  ask(path: string, init?: RequestInit): Promise<Response>;
};

export type HarnessOptions = AppOptions & {
  environment?: Record<string, string>;
  /** The plan of the first organization: prepaid, unless said. */
  plan?: Plan;
  /** Leaves the first organization its free tier and its starting credit; otherwise nothing runs out. */
  free?: boolean;
  /** Unix milliseconds that the clock starts at; sessions of people need the real time. */
  startMs?: number;
  /** Parts of the test's own in place of the real ones. */
  services?: Partial<Services>;
  /** With its own engines, whatever the run asks for. */
  isAlone?: boolean;
  /** Where SQLite is written. Default: in place, since a thread takes as long to start as the rest of the server. */
  writer?: "thread" | "here";
};

let pages: ReturnType<BuildPages> | null = null;

/** The servers of a run have the same pages, which are bundled once. */
const buildPages: BuildPages = () => {
  pages ??= bundleWeb();
  pages.catch(() => {
    pages = null;
  });
  return pages;
};

/** Of scrypt: a sixteenth of the work. Tests sign many people in. */
export const QUICK_COST = 1024;

const UNLIMITED = {
  requestsPerMinute: 1e6,
  concurrentRequests: 1000,
  ttsCharactersPerMinute: 1e9,
  sttSecondsPerMinute: 1e9,
};

export async function openHarness(custom: HarnessOptions = {}): Promise<Harness> {
  const {
    environment = {},
    plan = "prepaid",
    free = false,
    services = {},
    startMs,
    isAlone,
    writer = "here",
    ...options
  } = custom;
  const folder = mkdtempSync(join(tmpdir(), "loquat-test-"));
  const clock = heldClock(startMs);
  const logged: LogLine[] = [];
  const node = isAskedFor() ? openTestNode(environment) : null;
  const isFront = isUpstreamAskedFor() && !isAlone;
  const behind = isFront ? await openHarness({ environment: placesIn(environment), isAlone: true }) : null;
  const given = readConfig({
    ...{ LOQUAT_DATA: folder, LOQUAT_PLAN: plan, LOG_LEVEL: "debug" },
    ...environment,
    ...node?.environment,
  });
  const config = {
    ...given,
    identity: { ...given.identity, passwordCost: QUICK_COST },
    data: { ...given.data, writer },
  };
  const log = openLog("debug", (line) => logged.push(JSON.parse(line)));
  if (!config.data.url) await putMigrated(folder);
  const opened = await openServices(config, clock, log);
  if (node) await joined(opened);
  const borrowed = behind && (await putBehind(opened, behind));
  const parts: Services = { ...opened, ...services };
  const first = await firstStart(parts, config.plan);
  if (!first) throw new Error("a fresh folder has no key");
  const { organizationId } = first;
  if (!free) await provide(parts, organizationId);
  const key = first.key.secret;
  const served = serveApp(buildApp(parts, { buildPages, ...options }));
  parts.address.listensAt(served.origin);
  const closing = new AsyncDisposableStack();
  closing.defer(async () => {
    await served[Symbol.asyncDispose]();
    if (node || behind) expectRemote(opened);
    await opened[Symbol.asyncDispose]();
    borrowed?.[Symbol.dispose]();
    await behind?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  return harnessOf({ url: served.origin, key, organizationId, parts, clock, logged }, closing);
}

/** Keeps nothing of the app once it is closed: the variables of a test file stay until the last file has run. */
function harnessOf(
  { parts, ...known }: Omit<Harness, "ask" | keyof AsyncDisposable>,
  closing: AsyncDisposableStack,
): Harness {
  const opened = [parts];
  const { url, key } = known;
  return {
    ...known,
    get parts() {
      const [services] = opened;
      if (!services) throw new Error("the harness is closed");
      return services;
    },
    async ask(path, init = {}) {
      const headers = { authorization: `Bearer ${key}`, ...(init.headers ?? {}) };
      const response = await fetch(url + path, { ...init, headers });
      await checkDocumented(init.method ?? "GET", path, response);
      return response;
    },
    async [Symbol.asyncDispose]() {
      await closing.disposeAsync();
      opened.length = 0;
    },
  };
}

/** Nothing runs out for the organization. */
async function provide({ accounts, ledger }: Services, organizationId: string): Promise<void> {
  await accounts.setLimits(organizationId, UNLIMITED);
  await ledger.setMonthlyLimit(organizationId, null);
  await ledger.grant({
    id: "grant_plenty",
    organizationId,
    kind: "adjustment",
    amountMicros: 1e12,
    createdAt: 0,
    expiresAt: null,
    topUpId: null,
  });
}

/** The error envelope of a response, with its status. */
type ErrorFields = {
  type: string;
  code: string;
  message: string;
  param: string | null;
  request_id: string;
  details?: Detail[];
};

/** Of a refusal, in the envelope of the API or of one of its dialects. */
export async function errorOf(response: Response): Promise<{ status: number } & ErrorFields> {
  const body = (await response.json()) as {
    error?: ErrorFields | string;
    detail?: ErrorFields;
    err_msg?: string;
  };
  const { error, detail, err_msg: text = typeof error === "string" ? error : "" } = body;
  const own = typeof error === "string" ? undefined : error;
  const fields = own ?? detail ?? { ...(body as unknown as ErrorFields), message: text };
  return { ...fields, status: response.status };
}

type Detail = { field: string; code: string; message: string };
