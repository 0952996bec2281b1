/** The API itself: who may call, with which parameters, and what each call does. */
import type { IncomingMessage } from "node:http";
import type { Bank } from "./accounts.ts";
import { CALLS } from "./calls.ts";
import { check, type Params, parseForm, Refusal } from "./form.ts";
import { openKeys } from "./idempotency.ts";
import { pageOf, type Vault } from "./stored-cards.ts";

export type Asked = { method: string; path: string; params: Params; idempotencyKey: string | null };

/** A call with a star for the id in it. */
export const nameOf = (call: string) => call.replace(/\/(cus|cs|pi|pm|seti|ch)_\w+/, "/*");

type ApiParts = { vault: Vault; bank: Bank; key: string; asked: Asked[] };
type Sent = { pathname: string; search: string; body: string };
type Answer = { status: number; value: object; replayed?: boolean };

export function openApi({ vault, bank, key, asked }: ApiParts) {
  const keys = openKeys();
  return ({ method = "", headers }: IncomingMessage, { pathname, search, body }: Sent): Answer => {
    try {
      checkCaller(headers, { key, method, body });
      const call = nameOf(`${method} ${pathname}`);
      const fields = CALLS[call];
      if (!fields) {
        const message = `Unrecognized request URL (${method}: ${pathname}).`;
        throw new Refusal(404, { message });
      }
      const params = parseForm(method === "POST" ? body : search);
      const idempotencyKey = (headers["idempotency-key"] as string | undefined) ?? null;
      asked.push({ method, path: pathname, params, idempotencyKey });
      check(params, fields);
      const id = pathname.split("/")[call.indexOf("*") < 0 ? -1 : call.split("/").indexOf("*")] ?? "";
      const work = () => done(() => perform({ vault, bank }, call, { id, params, pathname }));
      if (method !== "POST" || idempotencyKey === null) return work();
      return keys(idempotencyKey, `${pathname}?${body}`, work);
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status, value: error.body };
      throw error;
    }
  };
}

/** An answer that can be given again: also a refusal, once the work was begun. */
function done(work: () => object): Answer {
  try {
    return { status: 200, value: work() };
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, value: error.body };
    throw error;
  }
}

type Caller = { key: string; method: string; body: string };

function checkCaller(headers: IncomingMessage["headers"], { key, method, body }: Caller): void {
  const { authorization = "", "content-type": type = "" } = headers;
  const basic = `Basic ${Buffer.from(`${key}:`).toString("base64")}`;
  if (authorization !== `Bearer ${key}` && authorization !== basic)
    throw new Refusal(401, { message: "Invalid API Key provided." });
  if (!/^\d{4}-\d{2}-\d{2}\.\w+$/.test(String(headers["stripe-version"] ?? "2026-10-28.endive")))
    throw new Refusal(400, { message: "Invalid Stripe API version." });
  if (method === "POST" && body !== "" && !type.startsWith("application/x-www-form-urlencoded"))
    throw new Refusal(400, {
      message: `Invalid request (check that your POST content type is form-encoded).`,
    });
}

type Call = { id: string; params: Params; pathname: string };

/** What each call does. */
function perform({ vault, bank }: Pick<ApiParts, "vault" | "bank">, call: string, given: Call): object {
  const { id, params, pathname } = given;
  const { expand, ...asked } = params;
  const paths = (expand ?? []) as string[];
  const objects: Record<string, string> = {
    customers: "customer",
    sessions: "checkout.session",
    payment_intents: "payment_intent",
    setup_intents: "setup_intent",
    payment_methods: "payment_method",
    charges: "charge",
    refunds: "refund",
    disputes: "dispute",
  };
  const name = pathname.split("/").find((part) => part in objects)!;
  const acts: Record<string, () => object> = {
    "POST /v1/customers": () => bank.createCustomer(asked),
    "POST /v1/customers/*": () => bank.updateCustomer(id, asked),
    "POST /v1/checkout/sessions": () => bank.createSession(asked),
    "POST /v1/payment_intents": () => bank.createIntent(asked),
    "POST /v1/payment_methods/*/detach": () => bank.detachCard(id),
  };
  const act = acts[call];
  if (act) return vault.shown(act(), paths);
  if (call.includes("*")) return vault.shown(vault.find(objects[name]!, id), paths);
  return vault.shown(pageOf(vault.all(objects[name]!), params, pathname), paths);
}
