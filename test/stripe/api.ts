/** The API itself: who may call, with which parameters, and what each call does. */
import type { IncomingMessage } from "node:http";
import { CALLS } from "./calls.ts";
import { check, type Params, parseForm, Refusal } from "./form.ts";
import { openKeys } from "./idempotency.ts";
import { type ObjectStore, pageOf, type Thing } from "./object-store.ts";
import type { PaymentProcessor } from "./processor.ts";

export type Asked = { method: string; path: string; params: Params; idempotencyKey: string | null };

/** A call with a star for the id in it. */
export const nameOf = (call: string) => call.replace(/\/(cus|cs|pi|pm|seti|ch|in|txi)_\w+/g, "/*");

type ApiDeps = { objectStore: ObjectStore; processor: PaymentProcessor; key: string; asked: Asked[] };
type Sent = { pathname: string; search: string; body: string };
type Answer = { status: number; value: object; replayed?: boolean };

export function openApi({ objectStore, processor, key, asked }: ApiDeps) {
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
      const work = () => done(() => perform({ objectStore, processor }, call, { id, params, pathname }));
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
function perform(
  { objectStore, processor }: Pick<ApiDeps, "processor" | "objectStore">,
  call: string,
  request: Call,
): object {
  const { id, params, pathname } = request;
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
    invoices: "invoice",
    invoice_payments: "invoice_payment",
    credit_notes: "credit_note",
    tax_ids: "tax_id",
  };
  const name = pathname.split("/").findLast((part) => part in objects)!;
  const acts: Record<string, () => object> = {
    "POST /v1/customers": () => processor.createCustomer(asked),
    "POST /v1/customers/*": () => processor.updateCustomer(id, asked),
    "POST /v1/checkout/sessions": () => processor.createSession(asked),
    "POST /v1/payment_intents": () => processor.createIntent(asked),
    "POST /v1/payment_methods/*/detach": () => processor.detachCard(id),
    "GET /v1/customers/*": () => processor.customer(id, paths),
    "POST /v1/payment_intents/*": () => processor.updateIntent(id, asked),
    "POST /v1/customers/*/tax_ids": () => processor.createTaxId(id, asked),
    "DELETE /v1/customers/*/tax_ids/*": () => processor.deleteTaxId(pathname.split("/").at(-1)!),
    "POST /v1/invoices": () => processor.createInvoice(asked),
    "POST /v1/invoiceitems": () => processor.addItem(asked),
    "POST /v1/invoices/*/finalize": () => processor.finalizeInvoice(id),
    "POST /v1/invoices/*/pay": () => processor.payInvoice(id, asked),
    "POST /v1/invoices/*/void": () => processor.voidInvoice(id),
    "DELETE /v1/invoices/*": () => processor.deleteInvoice(id),
    "POST /v1/credit_notes": () => processor.createCreditNote(asked),
    "POST /v1/refunds": () => processor.createRefund(asked),
  };
  const act = acts[call];
  if (act) return objectStore.record(act(), paths);
  if (call.endsWith("*/tax_ids")) {
    const owned = objectStore.all(objects[name]!) as (Thing & { customer?: unknown })[];
    const theirs = owned.filter(({ customer }) => customer === id);
    return objectStore.record(pageOf(theirs, params, pathname), paths);
  }
  if (call.includes("*")) return objectStore.record(objectStore.find(objects[name]!, id), paths);
  return objectStore.record(pageOf(objectStore.all(objects[name]!), params, pathname), paths);
}
