/** Promise: the simulated Stripe refuses what Stripe refuses, and honours idempotency keys. */
import { afterAll, expect, test } from "bun:test";
import { openStripe } from "./server.ts";

const stripe = await openStripe({ webhookSecret: "whsec_of_the_tests" });
afterAll(() => stripe[Symbol.asyncDispose]());

type Reply = { id: string; error: { type: string; code?: string; message: string; param?: string } };

async function ask(call: string, body = "", headers: Record<string, string> = {}) {
  const [method, path] = call.split(" ") as [string, string];
  const usual = {
    authorization: `Bearer ${stripe.key}`,
    "content-type": "application/x-www-form-urlencoded",
  };
  const init = { method, headers: { ...usual, ...headers }, ...(method === "POST" ? { body } : {}) };
  const response = await fetch(`${stripe.url}/v1${path}`, init);
  return { status: response.status, headers: response.headers, reply: (await response.json()) as Reply };
}

const PAGE = "mode=payment&success_url=http://localhost/&line_items[0][quantity]=1";
const PRICE = "line_items[0][price_data][currency]=usd&line_items[0][price_data][product_data][name]=Credit";
const SESSIONS = "POST /checkout/sessions";
const INTENTS = "POST /payment_intents";

test.each([
  [
    SESSIONS,
    `${PAGE}&${PRICE}&line_items[0][price_data][unit_amount]=500&colour=red`,
    "colour",
    "parameter_unknown",
  ],
  [SESSIONS, "success_url=http://localhost/", "mode", "parameter_missing"],
  [SESSIONS, `${PAGE}&${PRICE}`, "line_items[0][price_data][unit_amount]", "parameter_missing"],
  [
    SESSIONS,
    `${PAGE}&${PRICE}&line_items[0][price_data][unit_amount]=5.5`,
    "line_items[0][price_data][unit_amount]",
    "parameter_invalid_integer",
  ],
  [
    SESSIONS,
    `${PAGE}&${PRICE}&line_items[0][price_data][unit_amount]=500&expires_at=1`,
    "expires_at",
    undefined,
  ],
  [SESSIONS, "mode=setup&success_url=http://localhost/", "currency", undefined],
  [SESSIONS, "mode=setup&currency=usd&success_url=x", "success_url", undefined],
  [INTENTS, "amount=500&currency=usd&confirm=yes", "confirm", "parameter_invalid_boolean"],
  [INTENTS, "amount=500&currency=usd&customer=cus_nobody", "customer", "resource_missing"],
  [INTENTS, "amount=1&currency=usd", "amount", "amount_too_small"],
  ["GET /payment_intents?limit=0", "", "limit", "parameter_invalid_integer"],
  ["GET /payment_intents?colour=red", "", "colour", "parameter_unknown"],
])("%s %s is refused for %s", async (call, body, param, code) => {
  const { status, reply } = await ask(call, body);
  expect(status).toBe(400);
  expect(reply.error).toMatchObject({ type: "invalid_request_error", param, ...(code ? { code } : {}) });
});

test("a wrong key, an unknown address, an unknown object and another encoding are refused", async () => {
  expect((await ask("GET /refunds", "", { authorization: "Bearer sk_test_other" })).status).toBe(401);
  expect((await ask("GET /colours")).status).toBe(404);
  const { status, reply } = await ask("GET /payment_intents/pi_nobody");
  expect({ status, code: reply.error.code }).toEqual({ status: 404, code: "resource_missing" });
  expect((await ask("POST /customers", "{}", { "content-type": "application/json" })).status).toBe(400);
  const basic = `Basic ${btoa(`${stripe.key}:`)}`;
  expect((await ask("GET /refunds", "", { authorization: basic })).status).toBe(200);
});

test("an idempotency key repeats its response, and is refused for another call", async () => {
  const key = { "idempotency-key": "once" };
  const first = await ask("POST /customers", "email=a@example.com", key);
  const again = await ask("POST /customers", "email=a@example.com", key);
  expect(first.headers.get("idempotent-replayed")).toBeNull();
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(again.reply).toEqual(first.reply);
  const { status, reply } = await ask("POST /customers", "email=b@example.com", key);
  expect({ status, type: reply.error.type }).toEqual({ status: 400, type: "idempotency_error" });
  expect(stripe.all("customer").length).toBe(1);
});

test("the checkout page reports a declined payment, and redirects after a paid one", async () => {
  const body = `${PAGE}&${PRICE}&line_items[0][price_data][unit_amount]=500`;
  const { reply } = await ask(SESSIONS, body);
  const url = (reply as unknown as { url: string }).url;
  expect(await (await fetch(url)).text()).toContain("<h1>Pay $5.00</h1>");
  const pay = (card: string) =>
    fetch(url, { method: "POST", body: new URLSearchParams({ card }), redirect: "manual" });
  expect(await (await pay("declined")).text()).toContain('role="alert"');
  const paid = await pay("ok");
  expect([paid.status, paid.headers.get("location")]).toEqual([303, "http://localhost/"]);
});

test("pages of a list are consecutive", async () => {
  for (let made = 0; made < 5; made++) await ask(INTENTS, "amount=500&currency=usd");
  const ids: string[] = [];
  let after = "";
  for (let more = true; more; ) {
    const { reply } = await ask(`GET /payment_intents?limit=2${after}`);
    const page = reply as unknown as { data: { id: string }[]; has_more: boolean };
    ids.push(...page.data.map(({ id }) => id));
    after = `&starting_after=${ids.at(-1)}`;
    more = page.has_more;
  }
  expect(ids).toEqual(
    stripe
      .all("payment_intent")
      .map(({ id }) => id)
      .reverse(),
  );
});
