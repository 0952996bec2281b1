/**
 * The headers of responses: those that all responses of a folder have, rate limits, and the one that names what had no effect. A
 * response is finished here and not by the framework, which would copy it header by header and its body as a stream.
 */
import type { BucketState } from "../../usage/admission.ts";

/** The node that answered. */
export const NODE_HEADER = "x-loquat-node";
/** Unknown fields are ignored, as stock clients expect, but not silently. */
export const IGNORED_FIELDS = "x-ignored-fields";
/** What is missing in a recording: text and subtitles have no other place for it. */
const AUDIO_WARNINGS = "x-audio-warnings";

/** The request was charged before, and is not charged again. */
export const REPLAYED = "idempotent-replayed";

/** All of the rate limits, for CORS. */
export const RATE_LIMIT_HEADERS = ["requests", "characters", "seconds"].flatMap((bucket) => [
  `x-ratelimit-limit-${bucket}`,
  `x-ratelimit-remaining-${bucket}`,
  `x-ratelimit-reset-${bucket}`,
]);

const OWN = ["x-request-id", NODE_HEADER, "retry-after", IGNORED_FIELDS, AUDIO_WARNINGS, REPLAYED];
const EXPOSED = [...OWN, ...RATE_LIMIT_HEADERS].join(", ");

/** What a request has set for its response. */
type Outgoing = { headers: Record<string, unknown>; status?: number | string };

/** The finished response to a request, or undefined where the framework is to make it. */
export type Finish = (answer: unknown, request: Request, set: Outgoing) => Response | undefined;

/**
 * A header that the answer has itself stays, and one of the request takes precedence over those of all. `isOpen`: any web page
 * may call it with a key.
 */
export function openFinish(node: string, isOpen: (request: Request) => boolean): Finish {
  const everywhere = { [NODE_HEADER]: node, "x-content-type-options": "nosniff" };
  const open = { "access-control-allow-origin": "*", "access-control-expose-headers": EXPOSED };
  const ofApi = prepared({ ...everywhere, ...open });
  const ofPages = prepared({ ...everywhere, "cache-control": "no-store" });
  const ofOthers = prepared(everywhere);
  const commonOf = (request: Request) =>
    isOpen(request) ? ofApi : isUnder("/api", request) ? ofPages : ofOthers;
  return (answer, request, set) => {
    if (answer === undefined) return undefined; // the request became a socket
    const common = commonOf(request);
    if (typeof answer === "string") {
      const response = new Response(answer, { status: Number(set.status), headers: common.headers });
      for (const name in set.headers) response.headers.set(name, String(set.headers[name]));
      return finished(response, set);
    }
    if (!(answer instanceof Response)) {
      set.headers = { ...common.byName, ...set.headers };
      return undefined;
    }
    const { headers } = answer;
    for (const name in set.headers) if (!headers.has(name)) headers.set(name, String(set.headers[name]));
    for (const [name, value] of common.all) if (!headers.has(name)) headers.set(name, value);
    return finished(answer, set);
  };
}

/** `headers` are copied natively, which takes a quarter of the time of an object. */
const prepared = (byName: Record<string, string>) => ({
  byName,
  all: Object.entries(byName),
  headers: new Headers(byName),
});

/** Leaves the framework nothing to add: it passes such a response on as it is. */
function finished(response: Response, set: Outgoing): Response {
  set.headers = {};
  set.status = 200;
  return response;
}

/** Any web page may call /v1 with a key; /api uses cookies and is for pages of this server only. */
export const isUnder = (folder: "/v1" | "/api", { url }: Request): boolean =>
  url.startsWith(`${folder}/`, url.indexOf("/", "https://".length));

const NAME = /^[\w.[\]-]{1,64}$/;
const NAMES_MAX = 20;

/** Only plain words, because the names are the client's. */
export function ignoredFieldsHeader(names: Iterable<string>): Record<string, string> {
  const plain = [...new Set(names)].filter((name) => NAME.test(name)).slice(0, NAMES_MAX);
  return plain.length > 0 ? { [IGNORED_FIELDS]: plain.join(", ") } : {};
}

export const audioWarningsHeader = (warnings: readonly string[]): Record<string, string> =>
  warnings.length > 0 ? { [AUDIO_WARNINGS]: warnings.join(" ") } : {};

/**
 * Three for each bucket that a request took from, with durations in the format that stock clients parse:
 *
 *   x-ratelimit-limit-requests: 20     x-ratelimit-remaining-requests: 19     x-ratelimit-reset-requests: 3s
 */
export function rateLimitHeaders(states: BucketState[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { bucket, perMinute, points, resetMs } of states) {
    headers[`x-ratelimit-limit-${bucket}`] = String(perMinute);
    headers[`x-ratelimit-remaining-${bucket}`] = String(Math.floor(points));
    headers[`x-ratelimit-reset-${bucket}`] = durationText(resetMs);
  }
  return headers;
}

/** 20ms, 1.5s, 6m0s, 0s. */
function durationText(ms: number): string {
  const whole = Math.max(0, Math.ceil(ms));
  if (whole === 0) return "0s";
  if (whole < 1000) return `${whole}ms`;
  const seconds = (whole % 60_000) / 1000;
  const minutes = Math.floor(whole / 60_000) % 60;
  const hours = Math.floor(whole / 3_600_000);
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
