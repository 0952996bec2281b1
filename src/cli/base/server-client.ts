/** Requests of commands to a running server, with an API key: the server of this machine, or one that is named. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Config, readConfig } from "../../config/config.ts";
import { OperatorError } from "../../errors.ts";
import { localOrigin } from "./local-origin.ts";
import { UsageError } from "./output.ts";

export const SERVER_OPTION = [
  "--server <url>",
  "the server (default: LOQUAT_SERVER, else this machine, at PORT)",
] as const;

export type ServerOption = { server?: string | undefined };

/** What the server refused, or that it does not answer. `isPassing`: the same request may succeed later. */
export class ServerError extends OperatorError {
  readonly code: string | null;
  readonly isPassing: boolean;

  constructor(message: string, { code, isPassing }: { code: string | null; isPassing: boolean }) {
    super(message);
    this.code = code;
    this.isPassing = isPassing;
  }
}

/** `body`: a form, or what is sent as JSON. `timeoutMs`: until the whole answer is there. */
type Call = { method?: "POST" | "DELETE"; body?: object; range?: string; timeoutMs?: number };

export type ServerClient = {
  /** Throws a `ServerError` unless the request succeeds. */
  text(path: string, call?: Call): Promise<string>;
  json<T>(path: string, call?: Call): Promise<T>;
  /** A file, as it arrives. Where it breaks off, the rest is asked for, until nothing has arrived for two minutes. */
  bytes(path: string): AsyncGenerator<Uint8Array>;
};

const TIMEOUT_MS = 120_000;
/** Of a file, before it is asked for again from where it is. */
const FILE_MS = 600_000;

/** Where: with the path of the server, and without `/v1`. `isHere`: not named. */
type Target = { base: string; isHere: boolean; key: string };

export function openServerClient({ server }: ServerOption): ServerClient {
  const target = targetOf(readConfig(), server);
  const text = async (path: string, call: Call = {}) => {
    const response = await answerOf(target, path, call);
    const content = await read(target, response);
    if (!response.ok) throw refusalOf(target, response, content);
    return content;
  };
  return {
    text,
    json: async <T>(path: string, call?: Call) => JSON.parse(await text(path, call)) as T,
    bytes: (path) => fileOf(target, path),
  };
}

async function* fileOf(target: Target, path: string): AsyncGenerator<Uint8Array> {
  let received = 0;
  let arrivedMs = performance.now();
  for (;;)
    try {
      for await (const chunk of bytesFrom(target, path, received)) {
        received += chunk.length;
        arrivedMs = performance.now();
        yield chunk;
      }
      return;
    } catch (error) {
      await pauseBeforeRetry(error, arrivedMs);
    }
}

/** Where something on the way does not read `Range`, the file begins anew. */
async function* bytesFrom(target: Target, path: string, from: number): AsyncGenerator<Uint8Array> {
  const range = from === 0 ? {} : { range: `bytes=${from}-` };
  const response = await answerOf(target, path, { ...range, timeoutMs: FILE_MS });
  if (!response.ok) throw refusalOf(target, response, await read(target, response));
  let known = response.status === 206 ? 0 : from;
  try {
    for await (const chunk of response.body ?? []) {
      const rest = chunk.subarray(known);
      known -= chunk.length - rest.length;
      if (rest.length > 0) yield rest;
    }
  } catch (error) {
    throw unanswered(target.base, error);
  }
}

function targetOf(config: Config, named: string | undefined): Target {
  const server = named ?? config.client.server;
  const base = (server ?? localOrigin(config.http)).replace(/(?<!\/)\/+$/, "").replace(/\/v1$/, "");
  if (!/^https?:\/\/./.test(base) || !URL.canParse(base))
    throw new UsageError(`${server} is not a URL that starts with http:// or https://.`);
  return { base, isHere: server === null, key: keyOf(config, server === null) };
}

/** The first key is known where the server's data is, and is for that server only. */
function keyOf({ client, data }: Config, isHere: boolean): string {
  const first = join(data.folder, "first-key");
  const key = client.key?.() ?? (isHere && existsSync(first) ? readFileSync(first, "utf8") : "");
  if (key.trim() !== "") return key.trim();
  throw new UsageError(
    'Set LOQUAT_KEY to an API key of the server, or LOQUAT_KEY_FILE to a file with one. "loquat keys create" makes one.',
  );
}

async function answerOf({ base, isHere, key }: Target, path: string, call: Call): Promise<Response> {
  const { method = "GET", body, range, timeoutMs = TIMEOUT_MS } = call;
  const isForm = body instanceof FormData;
  const options = {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && !isForm && { "content-type": "application/json" }),
      ...(range !== undefined && { range }),
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
    timeout: false, // Bun's own of five minutes
    ...(isHere && { tls: { rejectUnauthorized: false } }), // its certificate names the address that others use
  };
  try {
    return await fetch(`${base}${path}`, options as RequestInit);
  } catch (error) {
    throw unanswered(base, error);
  }
}

async function read({ base }: Target, response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    throw unanswered(base, error);
  }
}

const unanswered = (base: string, error: unknown) =>
  new ServerError(`${base} does not answer: ${(error as Error).message}`, { code: null, isPassing: true });

const PASSING = new Set([429, 502, 503, 504]);

/** In the server's words; where something else answers, such as a proxy, its status. */
function refusalOf({ base }: Target, { status }: Response, content: string): ServerError {
  const isPassing = PASSING.has(status);
  try {
    const { message, code } = (JSON.parse(content) as { error: { message: string; code: string } }).error;
    return new ServerError(message, { code, isPassing });
  } catch {
    return new ServerError(`${base} answered with status ${status}.`, { code: null, isPassing });
  }
}

const RETRIED_MS = 120_000;
const PAUSE_MS = 2000;

/** Tries again while the server does not answer or is too busy, for two minutes: it may be starting anew. */
export async function retried<T>(work: () => Promise<T>): Promise<T> {
  const begunMs = performance.now();
  for (;;)
    try {
      return await work();
    } catch (error) {
      await pauseBeforeRetry(error, begunMs);
    }
}

async function pauseBeforeRetry(error: unknown, sinceMs: number): Promise<void> {
  const isPassing = error instanceof ServerError && error.isPassing;
  if (!isPassing || performance.now() - sinceMs > RETRIED_MS) throw error;
  await Bun.sleep(PAUSE_MS);
}
