/** What the routes of the catalogue share: their query, and lists that are serialized once and sent with their tag. */
import type { Catalogue } from "../../models/catalogue.ts";
import type { Names } from "../../models/client-names.ts";
import type { ComponentName } from "../openapi/components.ts";
import { json, ref } from "../openapi/operation.ts";

/** The query as an object, or null in the common case of none. */
export function queryOf(request: Request): Record<string, string> | null {
  const position = request.url.indexOf("?");
  return position < 0 ? null : Object.fromEntries(new URLSearchParams(request.url.slice(position)));
}

type Outgoing = { headers: Record<string, string | number>; status?: number | string };
type Call = { request: Request; set: Outgoing };

/** Returns text and sets a header instead of a `Response`, which the framework would copy at half the throughput. */
export function send(set: Outgoing, body: string): string {
  set.headers["content-type"] = "application/json";
  return body;
}

/** A list as it is sent. `etag`: of these bytes, as in RFC 9110, section 8.8.3. */
export type List = { body: string; etag: string };

export function listOf(value: object): List {
  const body = JSON.stringify(value);
  return { body, etag: `"${Bun.hash(body).toString(36)}"` };
}

const ETAG = { description: "Of this state of the list, for `if-none-match`.", schema: { type: "string" } };

/** What the OpenAPI document says of the answers of a list. */
export const listAnswers = (description: string, component: ComponentName) => ({
  ok: { description, content: json(ref(component)), headers: { etag: ETAG } },
  also: { 304: { description: "The list is the one of `if-none-match`." } },
});

/** The list, or 304 without it where the client has this one. Clients may keep it, and ask each time whether it changed. */
export function sendList({ request, set }: Call, { body, etag }: List): string {
  set.headers.etag = etag;
  set.headers["cache-control"] ??= "private, no-cache";
  if (!isKnown(request.headers.get("if-none-match"), etag)) return send(set, body);
  set.status = 304;
  return "";
}

/** `known`: tags of a client, some of which a proxy may have marked as weak. */
const isKnown = (known: string | null, etag: string): boolean =>
  known !== null && (known.includes(etag) || known.trim() === "*");

/** What `make` gives for a catalogue, made once for each state of it. */
export function oncePerState<T>(make: (catalogue: Catalogue) => T): (catalogue: Catalogue) => T {
  const made = new WeakMap<Names, { entries: Catalogue["entries"]; value: T }>();
  return (catalogue) => {
    const { entries, names } = catalogue;
    const known = made.get(names);
    if (known?.entries === entries) return known.value;
    const value = make(catalogue);
    made.set(names, { entries, value });
    return value;
  };
}
