/** Money that goes back: refunds by the operator, and disputes by the customer. */
import type Stripe from "stripe";
import type { ObjectStore, Thing } from "./object-store.ts";
import { disputeOf, movementOf, refundOf } from "./objects.ts";

type Emit = (type: string, object: object) => void;
type RefundStatus = "succeeded" | "pending" | "failed" | "canceled";

export type Reclaims = ReturnType<typeof openReclaims>;

export function openReclaims(objectStore: ObjectStore, emit: Emit) {
  const chargeOf = (paymentId: string) => {
    const intent = objectStore.find<Stripe.PaymentIntent & Thing>("payment_intent", paymentId);
    return objectStore.find<Stripe.Charge & Thing>("charge", intent.latest_charge);
  };
  return {
    /** All of it, unless it says how many cents. */
    refund(paymentId: string, options: { cents?: number; status?: RefundStatus } = {}): Stripe.Refund {
      const charge = chargeOf(paymentId);
      const { cents: amount = charge.amount - charge.amount_refunded, status = "succeeded" } = options;
      const refund = objectStore.keep(refundOf(objectStore.made("re"), charge, { amount, status }));
      charge.amount_refunded += amount;
      charge.refunded = charge.amount_refunded === charge.amount;
      emit("refund.created", refund);
      emit("charge.refunded", charge);
      return refund;
    },
    changeRefund(refundId: string, status: RefundStatus): void {
      const refund = objectStore.find<Stripe.Refund & Thing>("refund", refundId);
      const charge = objectStore.find<Stripe.Charge & Thing>("charge", refund.charge);
      refund.status = status;
      if (status === "failed" || status === "canceled") {
        charge.amount_refunded -= refund.amount;
        charge.refunded = false;
        emit("refund.failed", refund);
      }
      emit("refund.updated", refund);
      emit("charge.refund.updated", refund);
    },
    /** An inquiry asks, and takes nothing. */
    dispute(paymentId: string, { inquiry = false } = {}): Stripe.Dispute {
      const charge = chargeOf(paymentId);
      const dispute = objectStore.keep(disputeOf(objectStore.made("du"), charge));
      charge.disputed = true;
      if (inquiry) dispute.status = "warning_needs_response";
      else dispute.balance_transactions.push(movementOf(objectStore.made("txn"), dispute, -dispute.amount));
      emit("charge.dispute.created", dispute);
      if (!inquiry) emit("charge.dispute.funds_withdrawn", dispute);
      return dispute;
    },
    closeDispute(disputeId: string, status: "won" | "lost"): void {
      const dispute = objectStore.find<Stripe.Dispute & Thing>("dispute", disputeId);
      dispute.status = status;
      if (status === "won") {
        dispute.balance_transactions.push(movementOf(objectStore.made("txn"), dispute, dispute.amount));
        emit("charge.dispute.funds_reinstated", dispute);
      }
      emit("charge.dispute.closed", dispute);
    },
  };
}
