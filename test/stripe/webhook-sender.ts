/** Events on their way: signed, delivered at once, or held and then delivered in any order, again, or never. */
import { createHmac } from "node:crypto";
import type Stripe from "stripe";
import type { ObjectStore } from "./object-store.ts";

type StripeEvent = { id: string; type: string; body: string };

export type WebhookSender = ReturnType<typeof openWebhookSender>;

export function openWebhookSender(
  objectStore: ObjectStore,
  { secret, now }: { secret: string; now: () => number },
) {
  const events: StripeEvent[] = [];
  const waiting = new Set<StripeEvent>();
  const underWay = new Set<Promise<unknown>>();
  let target: string | null = null;
  let isHeld = false;

  const sign = (body: string, key = secret, seconds = Math.floor(now() / 1000)) =>
    signatureOf(body, key, seconds);

  /** The status of the response; 0 without one. Anything but a 2xx is delivered again by `release`. */
  async function deliver(event: StripeEvent): Promise<number> {
    if (target === null) return 0;
    const answer = post(target, event, sign(event.body));
    underWay.add(answer);
    const status = await answer;
    underWay.delete(answer);
    if (status >= 200 && status < 300) waiting.delete(event);
    return status;
  }

  return {
    events,
    sign,
    deliver,
    emit(type: string, object: object): void {
      const made = eventOf(objectStore, type, object);
      events.push(made);
      waiting.add(made);
      if (!isHeld) void deliver(made);
    },
    /** Where the webhook is; null: nowhere. */
    deliverTo(url: string | null): void {
      target = url;
    },
    /** From here on events wait. */
    hold(): void {
      isHeld = true;
    },
    /** Delivers what waits or was refused, one after another, in an order of the test's own. */
    async release(order = (all: StripeEvent[]) => all): Promise<number[]> {
      isHeld = false;
      const statuses = [];
      for (const event of order([...waiting])) statuses.push(await deliver(event));
      return statuses;
    },
    /** What waits is lost. */
    drop(): void {
      waiting.clear();
    },
    /** When nothing is under way. */
    async settled(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

const post = (target: string, { body }: StripeEvent, signature: string): Promise<number> =>
  fetch(target, {
    method: "POST",
    headers: { "content-type": "application/json", "stripe-signature": signature },
    body,
  }).then(
    ({ status }) => status,
    () => 0,
  );

const signatureOf = (body: string, key: string, seconds: number) =>
  `t=${seconds},v1=${createHmac("sha256", key).update(`${seconds}.${body}`).digest("hex")}`;

function eventOf(objectStore: ObjectStore, type: string, object: object): StripeEvent {
  const { id, created } = objectStore.made("evt");
  const event = {
    id,
    object: "event",
    api_version: "2026-10-28.endive",
    created,
    data: { object: objectStore.record(object) as never },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: type as never,
  } satisfies Stripe.EventBase;
  return { id, type, body: JSON.stringify(event, null, 2) };
}
