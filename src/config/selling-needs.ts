/** What a server lacks on which customers sign up and pay, by its configuration. */
import type { Config } from "./config.ts";

export type SellingNeed = {
  id: "mail" | "payments" | "address" | "sign_up";
  name: string;
  isMet: boolean;
  /** What to do where it is not met. */
  remedy: string;
};

type Settings = Pick<Config, "http" | "stripe"> & { identity: Pick<Config["identity"], "smtp"> };

/** `signUp`: who may sign up, as it is configured or stored. */
export function sellingNeeds({ identity, stripe, http }: Settings, signUp: string): SellingNeed[] {
  return [
    {
      id: "mail",
      name: "Mail",
      isMet: identity.smtp !== null,
      remedy:
        "Set SMTP_URL and MAIL_FROM. Without mail, customers cannot verify an address, and accounts wait for you.",
    },
    {
      id: "payments",
      name: "Payments",
      isMet: stripe !== null,
      remedy: "Set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET. Without Stripe, only operators grant credit.",
    },
    {
      id: "address",
      name: "Public address with https",
      isMet: http.url?.startsWith("https:") ?? false,
      remedy: "Set LOQUAT_URL to the https address of this server, which links in mails and receipts have.",
    },
    {
      id: "sign_up",
      name: "Sign-up",
      isMet: signUp === "open",
      remedy:
        "Open sign-up on the page Users, or set LOQUAT_SIGN_UP=open. Now customers cannot create an account.",
    },
  ];
}
