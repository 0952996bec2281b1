/**
 * Tries what customers need of a server that sells, for its operators: a mail to themselves, a checkout page for the first
 * organization, and the public address. Reports what failed in the words of the other side.
 */
import { Refusal } from "../errors.ts";
import type { Billing } from "./billing.ts";

/** `url`: a page that was opened, to look at. */
type Tested = { isMet: boolean; message: string; url: string | null };
type Operator = { id: string; email: string };

type TestedNeed = "mail" | "payments" | "address";

/** Fails with nothing but a refusal: too many in an hour. */
export type SellingTests = (need: TestedNeed, operator: Operator) => Promise<Tested>;

type SellingTestsDeps = {
  /** Null: no mail server is configured. Its errors are those of the mail server. */
  sendTest: ((to: string) => Promise<void>) | null;
  billing: Pick<Billing, "startTopUp">;
  firstOrganization: () => Promise<string | null>;
  /** The public address as it is configured. */
  url: string | null;
  attempts: {
    refuse(action: string, subject: string, bound: { most: number; windowSeconds: number }): Promise<void>;
  };
};

const PER_HOUR = { most: 20, windowSeconds: 3600 };
/** The least that is sold. */
const CHECKOUT_MICROS = 5_000_000;
const ADDRESS_MS = 10_000;
const MESSAGE_MAX = 300;

const met = (message: string, url: string | null = null): Tested => ({ isMet: true, message, url });
const unmet = (message: string): Tested => ({ isMet: false, message, url: null });

export function openSellingTests(deps: SellingTestsDeps): SellingTests {
  const { sendTest, billing, firstOrganization, url, attempts } = deps;
  const tests: Record<TestedNeed, (operator: Operator) => Promise<Tested>> = {
    async mail({ email }) {
      if (sendTest === null) return unmet("No mail server is configured: set SMTP_URL.");
      await sendTest(email);
      return met(`The mail server took a message to ${email}. See whether it arrives, and not as spam.`);
    },
    async payments({ id: userId, email }) {
      const organizationId = await firstOrganization();
      if (organizationId === null) return unmet("The server has no organization yet.");
      const page = await billing.startTopUp({ organizationId, userId, email, amountMicros: CHECKOUT_MICROS });
      const message =
        "Stripe opened a checkout page for $5.00 of credit of the first organization. It expires within an hour; pay it to test the credit, too.";
      return met(message, page.checkoutUrl);
    },
    async address() {
      if (!url?.startsWith("https:")) return unmet("LOQUAT_URL is no https address.");
      const signal = AbortSignal.timeout(ADDRESS_MS);
      const { status, ok } = await fetch(`${url}/healthz`, { signal, redirect: "manual" });
      if (!ok) return unmet(`${url}/healthz answered with status ${status}.`);
      return met(`This server reaches itself at ${url}, with a valid certificate. Try it from outside, too.`);
    },
  };
  return async (need, operator) => {
    await attempts.refuse("selling test", operator.id, PER_HOUR);
    return tests[need](operator).catch((error: unknown) => unmet(reasonOf(error)));
  };
}

/** What the other side said, where a refusal has hidden it from customers. */
function reasonOf(error: unknown): string {
  const said = error instanceof Refusal && error.cause instanceof Error ? error.cause : error;
  const { message, code } = said as { message?: string; code?: string };
  const text = (message || "It failed without a message").slice(0, MESSAGE_MAX);
  return code && !text.includes(code) ? `${text} (${code})` : text;
}
