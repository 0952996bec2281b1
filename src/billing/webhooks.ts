/**
 * Stripe webhooks: verifies the signature, then re-reads the object from Stripe.
 *
 * An event is recorded once its effects are durable; a repeated delivery before that applies them again.
 */
import { eq, lt } from "drizzle-orm";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database } from "../db/database.ts";
import type { Crediting } from "./crediting.ts";
import type { Customers } from "./customers.ts";
import type { Payments, WebhookEvent } from "./payments.ts";

const KEPT_SECONDS = 30 * 86_400; // Stripe retries deliveries for days, not weeks

export type Webhooks = {
  receive(body: string, signature: string | null): Promise<void>;
  /** Deletes events that are too old to be delivered again. */
  forget(): Promise<void>;
};

type WebhookDeps = {
  database: Database;
  payments: Payments;
  crediting: Crediting;
  customers: Customers;
  clock: Clock;
};

export function openWebhooks({ database, payments, crediting, customers, clock }: WebhookDeps): Webhooks {
  const { query } = database;
  const { stripeEvent } = database.tables;

  async function apply({ about }: WebhookEvent): Promise<void> {
    if (about?.object === "card") await customers.settleCard(about.id);
    if (about?.object === "invoice") await crediting.invoice(about.id);
    if (about?.object === "payment") {
      const payment = await payments.readPayment(about.id);
      if (payment) await crediting.payment(payment);
    }
    if (about?.object === "checkout") {
      const checkout = await payments.readCheckout(about.id);
      if (checkout) await (checkout.isSetup ? customers.finishSetup(checkout) : crediting.checkout(checkout));
    }
  }

  return {
    async receive(body, signature) {
      const event = await payments.verify(body, signature, clock.now());
      const { id, type } = event;
      const known = await query.select().from(stripeEvent).where(eq(stripeEvent.id, id));
      if (known.length > 0) return;
      await apply(event);
      const handled = { id, type, handledAt: unixSeconds(clock) };
      await query.insert(stripeEvent).values(handled).onConflictDoNothing();
    },
    async forget() {
      await query.delete(stripeEvent).where(lt(stripeEvent.handledAt, unixSeconds(clock) - KEPT_SECONDS));
    },
  };
}
