/** What Stripe keeps: objects by id, read one by one or in pages, with references expanded where that is asked. */
import { type Params, Refusal } from "./form.ts";

export type Thing = { id: string; object: string; created: number };

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** What may be expanded. */
const REFERENCES = [
  "customer",
  "payment_intent",
  "latest_charge",
  "payment_method",
  "setup_intent",
  "charge",
  "default_payment_method",
  "invoice",
  "tax_ids",
  "payments",
];

export type ObjectStore = ReturnType<typeof openObjectStore>;

export function openObjectStore(now: () => number) {
  const things = new Map<string, Thing>();
  return {
    /** An id and the time, for something new. */
    made(prefix: string): { id: string; created: number } {
      const random = crypto.getRandomValues(new Uint8Array(24));
      const text = [...random].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
      return { id: `${prefix}_${text}`, created: Math.floor(now() / 1000) };
    },
    keep<T extends Thing>(thing: T): T {
      things.set(thing.id, thing);
      return thing;
    },
    find<T extends Thing>(object: T["object"], id: unknown, param = "id"): T {
      const thing = things.get(String(id));
      if (thing?.object === object) return thing as T;
      const message = `No such ${object.replace(/^checkout\./, "checkout ")}: '${id}'`;
      throw new Refusal(param === "id" ? 404 : 400, { code: "resource_missing", message, param });
    },
    remove: (id: string) => void things.delete(id),
    /** Oldest first. */
    all: <T extends Thing>(object: T["object"]): T[] =>
      [...things.values()].filter((thing) => thing.object === object) as T[],
    /** A copy, as an answer has it. */
    record(thing: object, paths: string[] = []): Record<string, unknown> {
      const copy = structuredClone(thing) as Record<string, unknown>;
      for (const path of paths) expand(copy, path.split("."), things);
      return copy;
    },
  };
}

function expand(into: Record<string, unknown>, path: string[], things: Map<string, Thing>): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  if (name === "data" && Array.isArray(into.data)) {
    for (const one of into.data) expand(one, rest, things);
    return;
  }
  if (!REFERENCES.includes(name) || !(name in into)) {
    const message = `This property cannot be expanded (${name}).`;
    throw new Refusal(400, { message, param: "expand" });
  }
  const reference = into[name];
  if (typeof reference === "string") into[name] = structuredClone(things.get(reference));
  if (into[name]) expand(into[name] as Record<string, unknown>, rest, things);
}

const MOST = 100;
const USUAL = 10;

/** Newest first, after or before an id. */
export function pageOf(all: Thing[], params: Params, url: string) {
  const limit = Number(params.limit ?? USUAL);
  if (limit < 1 || limit > MOST)
    throw new Refusal(400, {
      message: `Invalid integer: ${limit}`,
      param: "limit",
      code: "parameter_invalid_integer",
    });
  const rows = all.filter((thing) => isWithin(thing, params)).reverse();
  const after = params.starting_after;
  const index = after === undefined ? 0 : rows.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && index === 0)
    throw new Refusal(400, {
      code: "resource_missing",
      message: `No such object: '${after}'`,
      param: "starting_after",
    });
  const data = rows.slice(index, index + limit);
  return { object: "list", data, has_more: rows.length > index + limit, url };
}

/** What a list is narrowed by. */
function isWithin(thing: Thing, params: Params): boolean {
  const { created = {} } = params as { created?: Record<string, string> };
  const { gt, gte, lt, lte } = created;
  if (gt !== undefined && thing.created <= Number(gt)) return false;
  if (gte !== undefined && thing.created < Number(gte)) return false;
  if (lt !== undefined && thing.created >= Number(lt)) return false;
  if (lte !== undefined && thing.created > Number(lte)) return false;
  const fields = thing as unknown as Record<string, unknown>;
  const { payment } = params as { payment?: { payment_intent?: string } };
  const paid = (fields.payment as { payment_intent?: string } | undefined)?.payment_intent;
  if (payment && payment.payment_intent !== paid) return false;
  return ["customer", "charge", "payment_intent", "invoice", "status"].every(
    (name) => params[name] === undefined || fields[name] === params[name],
  );
}
