/** A Stripe, a database, and any number of nodes that sell credit on them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Elysia } from "elysia";
import { routeDialects } from "../../src/api/dialects/routing.ts";
import { webhookRoute } from "../../src/api/management/stripe-webhook.ts";
import { openPace } from "../../src/api/middleware/body/body.ts";
import { edge } from "../../src/api/middleware/edge.ts";
import { notFoundPage } from "../../src/api/pages/not-found.ts";
import { type Billing, openBilling } from "../../src/billing/billing.ts";
import { openPayments } from "../../src/billing/stripe.ts";
import type { TopUp } from "../../src/billing/top-ups.ts";
import { readConfig } from "../../src/config/config.ts";
import { openWorkRows } from "../../src/db/queries/work-rows.ts";
import { differencesOf } from "../../src/ledger/verify.ts";
import { openLog } from "../../src/log/log.ts";
import { openMetrics } from "../../src/metrics/metrics.ts";
import { openStorage, type Storage } from "../../src/server/storage.ts";
import { openWork } from "../../src/work/work-queue.ts";
import { heldClock } from "../harness.ts";
import { putMigrated } from "../migrated.ts";
import { serveApp } from "../serve-app.ts";
import { openStripe, type StripeServer } from "../stripe/server.ts";
import { spend } from "./spending.ts";

const WEBHOOK_SECRET = "whsec_of_the_tests";
export const DOLLAR = 1_000_000;

type Mail = { to: string; subject: string; text: string; confirm: string | null };

/** The owners of every organization. */
export const OWNERS = ["ann@example.com", "bob@example.com"];

type Node = AsyncDisposable &
  Storage & { billing: Billing; webhookUrl: string; logged: string[] } & {
    /** Mails that its mail server took. */
    mails: Mail[];
    /** Owners whose mail is not taken. */
    refused: Set<string>;
    /** Addresses that the mail server refuses for good. */
    unknown: Set<string>;
  };

export type BillingCluster = AsyncDisposable & {
  stripe: StripeServer;
  clock: ReturnType<typeof heldClock>;
  organizationId: string;
  /** The first node, which Stripe tells. */
  node: Node;
  /** Another node on the same database. */
  join(): Promise<Node>;
  environment: Record<string, string>;
  buy(dollars?: number): Promise<TopUp & { checkoutSessionId: string }>;
  /** Saves a card and switches auto-recharge on. */
  recharge(card?: "ok" | "declinedLater" | "authentication" | "delayed"): Promise<void>;
  spend(dollars: number): Promise<void>;
  /** Balance less overdraft, in dollars; the ledger adds up, or it throws. */
  left(): Promise<number>;
  /** Dollars that were ever granted, but for starting credit. */
  granted(): Promise<number>;
};

/** `databaseUrl` null: SQLite in its own folder. `settings`: of the environment, besides. */
export async function openCluster(
  databaseUrl: string | null,
  settings: Record<string, string> = {},
): Promise<BillingCluster> {
  const clock = heldClock(Date.now());
  const folder = mkdtempSync(join(tmpdir(), "loquat-billing-"));
  if (databaseUrl === null) await putMigrated(folder);
  const stripe = await openStripe({ webhookSecret: WEBHOOK_SECRET, now: clock.now });
  const environment = {
    LOQUAT_DATA: folder,
    STRIPE_SECRET_KEY: stripe.key,
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    STRIPE_API_URL: stripe.url,
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
    ...settings,
  };
  const nodes: Node[] = [];
  async function join_(): Promise<Node> {
    const node = await openNode(environment, clock);
    nodes.push(node);
    return node;
  }
  const node = await join_();
  stripe.deliverTo(node.webhookUrl);
  const { id: organizationId } = await node.accounts.createOrganization("Acme");
  return {
    ...{ stripe, clock, organizationId, node, environment },
    join: join_,
    ...walletOf(node, { organizationId, stripe, clock }),
    async [Symbol.asyncDispose]() {
      stripe.letGo();
      for (const one of nodes.reverse()) await one[Symbol.asyncDispose]();
      await stripe[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function openNode(environment: Record<string, string>, clock: BillingCluster["clock"]): Promise<Node> {
  const config = readConfig(environment);
  const logged: string[] = [];
  const log = openLog("debug", (line) => logged.push(line));
  const storage = await openStorage(config, { clock });
  const origin = () => "http://localhost:8080";
  const mails: Mail[] = [];
  const refused = new Set<string>();
  const unknown = new Set<string>();
  const work = openWork({ rows: openWorkRows(storage.database), node: "test", clock, log });
  const billing = openBilling({
    ...{ ...storage, payments: config.stripe && openPayments(config.stripe), origin, clock, log, work },
    mailing: {
      owners: async () => OWNERS.map((email, index) => ({ id: `user_${index}`, email })),
      async send(to, { subject, lines, confirm }) {
        if (refused.has(to)) throw new Error("the mail server is away");
        if (unknown.has(to)) return "refused";
        mails.push({ to, subject, text: lines.join("\n"), confirm });
        return "sent";
      },
    },
  });
  await billing.sweep(); // after the one at its start, which would otherwise ask Stripe during a test
  const app = new Elysia({ serve: { reusePort: false } })
    .use(
      edge({
        ...{
          node: config.node,
          clock,
          log,
          metrics: openMetrics(),
          timeouts: { idleMs: 1000, totalMs: 10_000 },
          pace: openPace(),
        },
        ...{
          routes: [],
          tracing: null,
          base: "",
          notFoundPage: (message: string) => notFoundPage(message, ""),
          draining: new AbortController().signal,
          dialects: routeDialects([]),
          again: () => undefined,
        },
      }),
    )
    .use(webhookRoute({ billing }));
  const served = serveApp(app);
  return {
    ...storage,
    billing,
    webhookUrl: `${served.origin}/api/billing/stripe-webhook`,
    logged,
    ...{ mails, refused, unknown },
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await billing[Symbol.asyncDispose]();
      await work[Symbol.asyncDispose]();
      await storage[Symbol.asyncDispose]();
    },
  };
}

function walletOf(
  { billing, ledger }: Node,
  { organizationId, stripe, clock }: Pick<BillingCluster, "organizationId" | "stripe" | "clock">,
): Pick<BillingCluster, "buy" | "recharge" | "spend" | "left" | "granted"> {
  let charges = 0;
  return {
    async buy(dollars = 20) {
      const email = "owner@example.com";
      const amountMicros = dollars * DOLLAR;
      const topUp = await billing.startTopUp({ organizationId, userId: "user_1", email, amountMicros });
      return { ...topUp, checkoutSessionId: topUp.checkoutSessionId! };
    },
    async recharge(card = "ok") {
      await billing.startCardSetup({ organizationId, email: "owner@example.com" });
      stripe.pay(
        stripe.all<{ id: string; object: string; created: number }>("checkout.session").at(-1)!.id,
        card,
      );
      await stripe.settled();
      await billing.account(organizationId);
      const amounts = { thresholdMicros: 5 * DOLLAR, targetMicros: 20 * DOLLAR };
      await billing.setRecharge(organizationId, { enabled: true, ...amounts });
    },
    async spend(dollars) {
      clock.pass(1000);
      const createdAt = Math.floor(clock.now() / 1000);
      await spend(ledger, {
        id: `req_${charges++}`,
        organizationId,
        costMicros: dollars * DOLLAR,
        createdAt,
      });
      billing.charged(organizationId);
    },
    async left() {
      const differences = differencesOf(await ledger.audit());
      if (differences.length > 0) throw new Error(JSON.stringify(differences));
      const { balanceMicros, overdraftMicros } = await ledger.credit(organizationId);
      return (balanceMicros - overdraftMicros) / DOLLAR;
    },
    async granted() {
      const grants = await ledger.grants(organizationId);
      return grants.reduce((sum, { amountMicros }) => sum + amountMicros, 0) / DOLLAR;
    },
  };
}
