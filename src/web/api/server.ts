/** Calls of the management API, typed by the schema that its router is built from. */

import type { BodyOf, Ids, QueryOf, ReplyOf } from "../../api/management/schema/route.ts";
import type { Contract } from "../../api/management/schema/routes.ts";
import { BUILD_HEADER, build, noteFailure, noteResponse } from "../browser/connection.ts";
import { site } from "../browser/site.ts";
import { controlsTexts } from "../language/en/controls.ts";
import { confirmed } from "./confirmation.ts";

export type RouteName = keyof Contract;
export type Reply<K extends RouteName> = ReplyOf<Contract[K]>;

type PathOf<K> = K extends `${string} ${infer Path}` ? Path : never;
type IdsOf<K> = unknown extends Ids<PathOf<K> & string> ? { ids?: never } : { ids: Ids<PathOf<K> & string> };
type InputBody<B> = undefined extends B ? { body?: never } : { body: B };

/** The input of a route: the ids in its path, a query, a body. */
export type Input<K extends RouteName> = IdsOf<K> &
  InputBody<BodyOf<Contract[K]>> & { query?: QueryOf<Contract[K]> };

/** An error response. `fields` are messages about single fields, by name. */
export class ServerError extends Error {
  readonly code: string;
  readonly status: number;
  readonly requestId: string | null;
  readonly fields: Record<string, string>;

  constructor(status: number, body: Envelope | null) {
    super(body?.error.message ?? controlsTexts()("unreachable"));
    this.status = status;
    this.code = body?.error.code ?? "unreachable";
    this.requestId = body?.error.request_id ?? null;
    this.fields = Object.fromEntries(
      (body?.error.details ?? []).map(({ field, message }) => [field, message]),
    );
  }
}

type Envelope = {
  error: {
    code: string;
    message: string;
    request_id: string;
    details?: { field: string; message: string }[];
  };
};

let csrfToken = "";

/** Sent with every request but GET; part of the session. */
export function keepCsrfToken(token: string): void {
  csrfToken = token;
}

export async function call<K extends RouteName>(route: K, input: Input<K>): Promise<Reply<K>> {
  return parseJson(await (await answerOf(route, input)).text()) as Reply<K>;
}

/** The file that a route answers with, under the name that it has there. */
export async function fileOf<K extends RouteName>(
  route: K,
  input: Input<K>,
): Promise<{ name: string; content: Blob }> {
  const response = await answerOf(route, input);
  const [, name = "download"] =
    /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "") ?? [];
  return { name, content: await response.blob() };
}

function answerOf<K extends RouteName>(route: K, input: Input<K>): Promise<Response> {
  const [method, path] = route.split(" ") as [string, string];
  const {
    ids = {},
    query = {},
    body,
  } = input as {
    ids?: Record<string, string>;
    query?: Record<string, unknown>;
    body?: unknown;
  };
  const url = path.replace(/:(\w+)/g, (_all, name: string) => encodeURIComponent(ids[name]!));
  return ask(url + searchOf(query), method, body);
}

/** Calls a route of the sign-in library, which also keeps members and invitations. */
export async function auth<T = unknown>(path: string, body?: object): Promise<T> {
  return parseJson(await (await ask(`/api/auth/${path}`, body ? "POST" : "GET", body)).text()) as T;
}

function ask(url: string, method: string, body: unknown): Promise<Response> {
  const headers: Record<string, string> = method === "GET" ? {} : { "x-csrf-token": csrfToken };
  if (build.page !== null) headers[BUILD_HEADER] = build.page;
  if (body !== undefined) headers["content-type"] = "application/json";
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const sent = () => send(site.base + url, init);
  return sent().catch((error) => againIfConfirmed(error, sent));
}

/** Repeats what needs a code of the second factor, once the user has given one. */
async function againIfConfirmed(error: unknown, again: () => Promise<Response>): Promise<Response> {
  if (!(error instanceof ServerError) || error.code !== "confirmation_required") throw error;
  if (await confirmed()) return again();
  const message = controlsTexts()("notConfirmed");
  throw new ServerError(403, { error: { code: error.code, message, request_id: "" } });
}

/** Resolves to a successful response only; everything else but an abort is a `ServerError`. */
export async function send(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init).catch((error: Error) => {
    if (error.name === "AbortError") throw error;
    noteFailure();
    throw new ServerError(0, null);
  });
  noteResponse(response);
  if (response.ok) return response;
  const json = parseJson(await response.text());
  throw new ServerError(response.status, isEnvelope(json) ? json : null);
}

/** `?a=1&b=2`, without the values that are null or undefined. */
export function searchOf(query: Record<string, unknown>): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  if (entries.length === 0) return "";
  return `?${new URLSearchParams(entries.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isEnvelope = (json: unknown): json is Envelope =>
  typeof json === "object" && json !== null && "error" in json;
