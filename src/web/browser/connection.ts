/**
 * Whether the server answers, and whether it was updated after this page was loaded. Every response is reported here;
 * while there is none, the server is asked again at short intervals.
 */

import { systemClock } from "../../clock.ts";
import { site } from "./site.ts";

export type Connection = {
  /** While the server does not answer: Unix milliseconds of its last answer. */
  lostAt: number | null;
  isUpdated: boolean;
};

/** Sent with the build of this page, and answered with the build of the server. */
export const BUILD_HEADER = "x-loquat-build";
const PING_MS = 2000;
/** What proxies answer in place of a server that does not. */
const GATEWAY_ERRORS = [502, 504];

let connection: Connection = { lostAt: null, isUpdated: false };
let lastAnswerAt = systemClock.now();
let timer: ReturnType<typeof setTimeout> | null = null;
const listeners = new Set<() => void>();

/** The build that this page was loaded with. */
export const build: { page: string | null } = { page: null };

export function noteResponse({ status, headers }: Response): void {
  if (GATEWAY_ERRORS.includes(status) && !headers.has("x-request-id")) {
    noteFailure();
    return;
  }
  lastAnswerAt = systemClock.now();
  const served = headers.get(BUILD_HEADER);
  const isNewer = build.page !== null && served !== null && build.page !== served;
  change({ lostAt: null, isUpdated: connection.isUpdated || isNewer });
}

/** No response at all. */
export function noteFailure(): void {
  if (connection.lostAt === null) change({ ...connection, lostAt: lastAnswerAt });
  timer ??= setTimeout(() => void ping(), PING_MS);
}

/** Asks the server once; resolves to whether it answers. */
export async function ping(): Promise<boolean> {
  if (timer) clearTimeout(timer);
  timer = null;
  await fetch(`${site.base}/healthz`, { cache: "no-store" }).then(noteResponse, noteFailure);
  return connection.lostAt === null;
}

function change(next: Connection): void {
  if (next.lostAt === connection.lostAt && next.isUpdated === connection.isUpdated) return;
  connection = next;
  for (const listener of listeners) listener();
}

export function onConnection(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const connectionNow = (): Connection => connection;
