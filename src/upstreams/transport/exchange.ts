/**
 * One request to a server, within its time limits. Ends when the caller leaves, which closes the connection.
 *
 *   sent ──first byte within──> answer ──next bytes within──> chunk … ──all of it within──> end
 */

import { statusFailure, UpstreamFailure } from "./failure.ts";
import type { Address } from "./resolve-names.ts";

export type Outgoing = {
  path: string;
  method?: "GET";
  headers?: Record<string, string>;
  body?: string | FormData;
};

type Timeouts = { firstByteMs: number; betweenBytesMs: number; wholeMs: number };

/** `headers`: those of the credential. */
export type Sending = {
  address: Address;
  headers: Record<string, string>;
  timeouts: Timeouts;
  signal: AbortSignal;
};

/** An answer of status 200. Its chunks are read once; closing it before their end closes the connection. */
export type Exchange = Disposable & {
  contentType: string;
  chunks(): AsyncGenerator<Uint8Array>;
};

const ERROR_BYTES = 4096;

/** Throws `UpstreamFailure`, also for any status but 200, or the reason of the signal. */
export async function openExchange(outgoing: Outgoing, sending: Sending): Promise<Exchange> {
  const limits = openLimits(sending);
  try {
    limits.within(sending.timeouts.firstByteMs, "no answer");
    const response = await send(outgoing, sending, limits.signal);
    if (response.status !== 200) throw statusFailure(response, await beginningOf(response));
    return {
      contentType: mediaType(response),
      chunks: () => chunksOf(response, sending.timeouts, limits),
      [Symbol.dispose]: limits.end,
    };
  } catch (error) {
    limits.end();
    throw limits.failureOf(error);
  }
}

const mediaType = ({ headers }: Response) =>
  (headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();

/** A redirect is not followed: it would take the credential along. */
function send({ path, method, headers = {}, body }: Outgoing, sending: Sending, signal: AbortSignal) {
  const { address } = sending;
  const name = address.host?.replace(/:\d+$/, "");
  return fetch(address.base + path, {
    method: method ?? "POST",
    redirect: "manual",
    headers: { ...headers, ...sending.headers, ...(address.host ? { host: address.host } : {}) },
    signal,
    ...(body === undefined ? {} : { body }),
    ...(name && address.base.startsWith("https:") ? { tls: { serverName: name } as object } : {}),
  });
}

async function* chunksOf(
  response: Response,
  { betweenBytesMs }: Timeouts,
  limits: Limits,
): AsyncGenerator<Uint8Array> {
  try {
    limits.within(betweenBytesMs, "no further bytes");
    for await (const chunk of response.body ?? []) {
      yield chunk;
      limits.within(betweenBytesMs, "no further bytes");
    }
  } catch (error) {
    throw limits.failureOf(error);
  } finally {
    limits.end();
  }
}

async function beginningOf(response: Response): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= ERROR_BYTES) break;
  }
  return text;
}

type Limits = ReturnType<typeof openLimits>;

function openLimits({ timeouts, signal }: Pick<Sending, "timeouts" | "signal">) {
  const controller = new AbortController();
  const left = () => controller.abort(signal.reason);
  if (signal.aborted) left();
  else signal.addEventListener("abort", left, { once: true });
  const late = (what: string, ms: number) => () =>
    controller.abort(new UpstreamFailure("late", `${what} within ${ms} ms`));
  const whole = setTimeout(late("no complete answer", timeouts.wholeMs), timeouts.wholeMs);
  let next: Timer | null = null;
  return {
    signal: controller.signal,
    within(ms: number, what: string): void {
      if (next) clearTimeout(next);
      next = setTimeout(late(what, ms), ms);
    },
    end(): void {
      clearTimeout(whole);
      if (next) clearTimeout(next);
      signal.removeEventListener("abort", left);
      controller.abort(new Error("the exchange is over"));
    },
    /** What was thrown, as the caller of an exchange receives it. */
    failureOf(error: unknown): unknown {
      if (signal.aborted) return signal.reason;
      const { reason } = controller.signal;
      if (reason instanceof UpstreamFailure) return reason;
      if (error instanceof UpstreamFailure) return error;
      return new UpstreamFailure("unreachable", (error as Error).message, { cause: error });
    },
  };
}

const JSON_BYTES_MAX = 16 * 1024 * 1024;

/** The whole answer as JSON, whatever type it claims. */
export async function readJson(exchange: Exchange, sizeMax = JSON_BYTES_MAX): Promise<unknown> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of exchange.chunks()) {
    sizeBytes += chunk.length;
    if (sizeBytes > sizeMax)
      throw new UpstreamFailure("faulty", `the answer is longer than ${sizeMax} bytes`);
    parts.push(chunk);
  }
  const text = Buffer.concat(parts).toString("utf8");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UpstreamFailure("faulty", `the answer is not JSON: ${text.slice(0, 200)}`, { cause });
  }
}
