/**
 * A server that speaks Stripe's API strictly, for tests: its shapes, errors, idempotency keys, signatures, pages.
 *
 *   const stripe = await openStripe({ webhookSecret: "whsec_…" });
 *   STRIPE_API_URL=stripe.url  STRIPE_SECRET_KEY=stripe.key  STRIPE_WEBHOOK_SECRET="whsec_…"
 *   stripe.deliverTo(`${server}/api/billing/stripe-webhook`);
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Asked, nameOf, openApi } from "./api.ts";
import type { CardName } from "./cards.ts";
import { openObjectStore, type Thing } from "./object-store.ts";
import { checkoutPage } from "./page.ts";
import { openProcessor, type PaymentProcessor } from "./processor.ts";
import { openReclaims, type Reclaims } from "./reclaims.ts";
import { openWebhookSender, type WebhookSender } from "./webhook-sender.ts";

/**
 * How a call goes wrong. `lost`: it is done and its response is lost; `refused`: a 500 and nothing was done; `hang`: it is
 * done and the answer does not come until `letGo`; `busy`: 429.
 */
type Mishap = "lost" | "refused" | "hang" | "busy";

export type StripeServer = AsyncDisposable &
  WebhookSender &
  Pick<PaymentProcessor, "finish" | "expire" | "tax"> &
  Reclaims &
  Mishaps & {
    url: string;
    key: string;
    /** Every call so far. */
    asked: Asked[];
    /** Pays, or saves a card, at a session's page as a customer with that card; why it was refused, or null. */
    pay(sessionId: string, card?: CardName): string | null;
    /** What it has of a kind, oldest first, as `checkout.session` or `payment_intent`. */
    all<T extends Thing>(object: T["object"]): T[];
  };

type Options = {
  webhookSecret: string;
  key?: string;
  /** Unix milliseconds. */
  now?: () => number;
};

export async function openStripe({
  webhookSecret,
  key = "sk_test_ofTheTests",
  now = Date.now,
}: Options): Promise<StripeServer> {
  const objectStore = openObjectStore(now);
  const sender = openWebhookSender(objectStore, { secret: webhookSecret, now });
  let url = "";
  const processor = openProcessor(objectStore, sender.emit, () => url);
  const asked: Asked[] = [];
  const api = openApi({ objectStore, processor, key, asked });
  const { plan, ...mishaps } = openMishaps();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const { pathname, search } = new URL(request.url!, "http://localhost");
    if (!pathname.startsWith("/v1/")) return page(processor, { request, response, body });
    const mishap = plan(`${request.method} ${pathname}`);
    if (mishap === "refused") return send(response, 500, problem("api_error", "An error occurred."));
    if (mishap === "busy") return send(response, 429, problem("invalid_request_error", "Too many requests."));
    processor.expireOld(now());
    const { status, value, replayed } = api(request, { pathname, search, body });
    if (mishap === "lost") return void response.destroy();
    if (mishap === "hang") await mishaps.hanging();
    if (replayed) response.setHeader("idempotent-replayed", "true");
    response.setHeader("request-id", objectStore.made("req").id);
    send(response, status, value);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...sender,
    ...mishaps,
    ...openReclaims(objectStore, sender.emit),
    ...{
      finish: processor.finish,
      expire: processor.expire,
      tax: processor.tax,
      all: objectStore.all,
      url,
      key,
      asked,
    },
    pay: (sessionId, card = "ok") => processor.pay(sessionId, card)?.code ?? null,
    async [Symbol.asyncDispose]() {
      sender.deliverTo(null);
      mishaps.letGo();
      await sender.settled();
      server.closeAllConnections();
      server.close();
    },
  };
}

type Mishaps = Omit<ReturnType<typeof openMishaps>, "plan">;

function openMishaps() {
  const planned = new Map<string, { mishap: Mishap; times: number }>();
  const waiting: (() => void)[] = [];
  return {
    /** The next calls of that kind go wrong, as often as it says: `POST /v1/payment_intents`, with a star for an id. */
    fail: (call: string, mishap: Mishap, times = 1) => void planned.set(call, { mishap, times }),
    hanging: () => new Promise<void>((resolve) => waiting.push(resolve)),
    /** How many calls hang. */
    hung: () => waiting.length,
    /** Answers what hangs. */
    letGo(): void {
      for (const go of waiting.splice(0)) go();
    },
    plan(call: string): Mishap | null {
      const plan = planned.get(nameOf(call));
      if (plan && --plan.times <= 0) planned.delete(nameOf(call));
      return plan?.mishap ?? null;
    },
  };
}

type Visit = { request: IncomingMessage; response: ServerResponse; body: string };

function page(processor: PaymentProcessor, { request: { method, url }, response, body }: Visit): void {
  const session = processor.session(/^\/c\/pay\/(\w+)/.exec(url!)?.[1]);
  if (!session) {
    send(response, 404, problem("invalid_request_error", "There is no such page."));
    return;
  }
  const card = (new URLSearchParams(body).get("card") ?? "ok") as CardName;
  const refused = method === "POST" ? processor.pay(session.id, card) : null;
  if (session.status === "complete") {
    response.writeHead(303, { location: session.success_url! }).end();
    return;
  }
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  response.end(checkoutPage(session, refused?.message ?? null));
}

const problem = (type: string, message: string) => ({ error: { type, message } });

function send(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value, null, 2));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}
