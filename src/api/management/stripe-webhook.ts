/** The Stripe webhook: no session and no CSRF token, but a signature over the raw body. */
import { Elysia } from "elysia";
import type { Billing } from "../../billing/billing.ts";
import { type BodyTimeouts, malformed, readBytes } from "../middleware/body/body.ts";

const BODY_LIMIT = 1024 * 1024;
const TIMEOUTS: BodyTimeouts = { idleMs: 10_000, totalMs: 30_000 };

/** Any status but 2xx makes Stripe deliver the event again. */
export function webhookRoute({ billing }: { billing: Billing }) {
  const tooLarge = () => malformed("too_long", `is larger than ${BODY_LIMIT} bytes`);
  return new Elysia().post(
    "/api/billing/stripe-webhook",
    async ({ request }) => {
      const bytes = await readBytes(request, { limit: BODY_LIMIT, tooLarge, timeouts: TIMEOUTS });
      await billing.webhook(new TextDecoder().decode(bytes), request.headers.get("stripe-signature"));
      return { received: true };
    },
    { parse: "none", detail: { hide: true } },
  );
}
