/**
 * Refunds by the operator: a credit note where the payment has an invoice.
 *
 * The credit is taken back as for a refund that was made at the payment service. Where the process ends between the two,
 * the service's event or the reconcile job does it.
 */
import { type Audit, created } from "../audit/audit-events.ts";
import type { Clock } from "../clock.ts";
import { Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import type { Crediting } from "./crediting.ts";
import type { Payments } from "./payments.ts";
import type { TopUp, TopUps } from "./top-ups.ts";

/** `amountMicros`: of what was paid, tax included. */
export type OperatorRefund = {
  organizationId: string;
  topUpId: string;
  amountMicros: number;
  idempotencyKey: string | null;
};

type RefundDeps = { payments: Payments; topUps: TopUps; crediting: Crediting; audit: Audit; clock: Clock };

export async function refundTopUp(
  { payments, topUps, crediting, audit, clock }: RefundDeps,
  { organizationId, topUpId, amountMicros, idempotencyKey }: OperatorRefund,
): Promise<TopUp> {
  const topUp = await topUps.read(topUpId);
  if (topUp?.organizationId !== organizationId) throw new Refusal("not_found", "There is no such top-up.");
  const { paymentIntentId: paymentId, invoiceId, status } = topUp;
  if (status !== "succeeded" || paymentId === null)
    throw new Refusal("top_up_not_paid", "This top-up was not paid, so nothing can be refunded.");
  const key = idempotencyKey ?? newId("rev", clock);
  await payments.refund({ paymentId, invoiceId, amountMicros, idempotencyKey: `${topUpId}_refund_${key}` });
  const changes = created({ amount_micros: amountMicros });
  await audit.note([{ type: "billing.refunded", organizationId, resourceId: topUpId, changes }]); // before what may fail
  const payment = await payments.readPayment(paymentId);
  if (payment) await crediting.payment(payment);
  if (invoiceId !== null) await crediting.invoice(invoiceId);
  return (await topUps.read(topUpId))!;
}
