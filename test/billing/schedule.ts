/**
 * One organization with a card that is charged below $5 up to $20, some nodes, and a run of random events:
 * spending, buying, refunds, disputes, webhooks in any order and again, sweeps, visits, lost answers, crashes.
 *
 * At every charge it is asked: what was paid for by this card, and what was bought, less what was spent, less what was
 * taken back before the owner last switched auto-recharge on. Was that below the threshold since the charge's row is
 * there? If not, the card is charged for a refund, or twice for one cause.
 */

import { type Billing, openBilling } from "../../src/billing/billing.ts";
import { openLog } from "../../src/log/log.ts";
import type { Storage } from "../../src/server/storage.ts";
import type { Chance } from "../fuzz/random.ts";
import type { CardName } from "../stripe/cards.ts";
import { directPayments, openDirectProcessor } from "../stripe/direct.ts";
import { openObjectStore, type Thing } from "../stripe/object-store.ts";
import { openProcessor } from "../stripe/processor.ts";
import { openReclaims } from "../stripe/reclaims.ts";
import { DOLLAR } from "./billing-cluster.ts";
import { openOrders } from "./orders.ts";
import { quietAccounts } from "./quiet-accounts.ts";
import { spend } from "./spending.ts";
import { checkEnd, type Fixture, type Intent, openWatch, type Reclaim, THRESHOLD } from "./watch.ts";

const SETTINGS = { enabled: true, thresholdMicros: THRESHOLD, targetMicros: 20 * DOLLAR };
const MINUTE_MS = 60_000;

export async function openSchedule(fixture: Fixture, chance: Chance) {
  await empty(fixture.storage);
  const tenancy = openTenancy(fixture, chance);
  await saveCard(
    fixture,
    tenancy.processor,
    chance.pick<CardName>(["ok", "ok", "ok", "ok", "declinedLater", "delayed"]),
  );
  const switchOn = () => switchOnBy(tenancy);
  return {
    deeds: { ...ownDeeds(tenancy), ...processorActions(tenancy), ...nodeDeeds(tenancy), switchOn } as Record<
      string,
      () => unknown
    >,
    steps: tenancy.steps,
    switchOn,
    settle: () => settle(tenancy),
    check: async () => [...tenancy.watch.wrong, ...(await checkEnd(fixture, tenancy.objectStore))],
  };
}

type Tenancy = ReturnType<typeof openTenancy>;

function openTenancy(fixture: Fixture, chance: Chance) {
  const { storage, clock } = fixture;
  const orders = openOrders(chance, clock.now);
  const events: { body: string; isNew: boolean }[] = [];
  const objectStore = openObjectStore(clock.now);
  const emit = (type: string, object: object) => {
    const data = { object: objectStore.record(object) };
    events.push({ body: JSON.stringify({ id: objectStore.made("evt").id, type, data }), isNew: true });
  };
  const processor = openProcessor(objectStore, emit, () => "http://localhost");
  const reclaims = openReclaims(objectStore, emit);
  const watch = openWatch(fixture, objectStore);
  const till = openDirectProcessor({ objectStore, processor, charging: watch.charging });
  const shared = { origin: () => "http://localhost", clock, log: openLog("silent", () => {}) };
  let nodes = 0;
  function openNode(): { id: number; billing: Billing } {
    const id = nodes++;
    const billing = openBilling({
      payments: directPayments(till, orders.gate(id)),
      database: orders.database(storage.database, id),
      ledger: orders.ledger(storage.ledger, id),
      ...shared,
    });
    return { id, billing };
  }
  const living = [openNode(), openNode()];
  async function steps(count: number): Promise<void> {
    for (let left = count; left > 0 && (await orders.step()); left--) await watch.look();
  }
  return {
    ...{ fixture, chance, orders, events, objectStore, processor, reclaims, watch, living, openNode, steps },
    anyone: () => chance.pick(living).billing,
    /** A node on which nothing waits. */
    ownNode: () => openBilling({ payments: directPayments(till, async () => {}), ...storage, ...shared }),
    intents: () => objectStore.all<Intent>("payment_intent"),
    spends: { count: 0 },
  };
}

const ignored = (work: Promise<unknown>) => void work.catch(() => {}); // it is told again

async function switchOnBy({ fixture, watch, ownNode }: Tenancy): Promise<void> {
  await watch.switchedOn();
  const owner = ownNode();
  await owner.setRecharge(fixture.organizationId, SETTINGS);
  await owner[Symbol.asyncDispose]();
  await watch.look();
}

function ownDeeds({ fixture, chance, watch, anyone, objectStore, processor, spends }: Tenancy) {
  const { storage, organizationId, clock } = fixture;
  return {
    async spend() {
      const costMicros = chance.pick([1, 4, 7, 16, 23]) * DOLLAR;
      const createdAt = Math.floor(clock.now() / 1000);
      await spend(storage.ledger, { id: `req_${spends.count++}`, organizationId, costMicros, createdAt });
      watch.spent(costMicros);
      anyone().charged(organizationId);
    },
    buy() {
      const buyer = { organizationId, userId: "user_1", email: "owner@example.com" };
      ignored(anyone().startTopUp({ ...buyer, amountMicros: 10 * DOLLAR }));
    },
    pay() {
      const open = objectStore.all<Thing & { status: string; mode: string }>("checkout.session");
      const page = open.find(({ status, mode }) => status === "open" && mode === "payment");
      if (page) processor.pay(page.id, chance.pick(["ok", "ok", "declined"]));
    },
    async visit() {
      const all = await storage.database.query.select().from(storage.database.tables.topUp);
      if (all.length > 0) ignored(anyone().topUp(organizationId, chance.pick(all).id));
    },
  };
}

function processorActions({ chance, objectStore, processor, reclaims, intents }: Tenancy) {
  type Charge = Thing & { amount: number; amount_refunded: number; disputed: boolean };
  return {
    refund() {
      const paid = intents().filter(({ status }) => status === "succeeded");
      if (paid.length === 0) return;
      const { id, latest_charge } = chance.pick(paid);
      const { amount, amount_refunded, disputed } = objectStore.find<Charge>("charge", latest_charge);
      const left = amount - amount_refunded;
      if (left < 2 || disputed) return;
      const cents = chance.once(2) ? left : left >> 1;
      if (chance.once(3)) reclaims.dispute(id);
      else reclaims.refund(id, { cents, status: chance.once(4) ? "pending" : "succeeded" });
    },
    changeReclaim() {
      const refund = objectStore.all<Reclaim>("refund").find(({ status }) => status === "pending");
      if (refund) reclaims.changeRefund(refund.id, chance.pick(["succeeded", "failed"]));
      const open = ({ status }: Reclaim) => !["won", "lost"].includes(status);
      const dispute = objectStore.all<Reclaim>("dispute").find(open);
      if (dispute) reclaims.closeDispute(dispute.id, chance.pick(["won", "lost"]));
    },
    finish() {
      const delayed = intents().find(({ status }) => status === "processing");
      if (delayed) processor.finish(delayed.id, chance.once(2));
    },
  };
}

function nodeDeeds(tenancy: Tenancy) {
  const { fixture, chance, orders, events, living, openNode, anyone } = tenancy;
  return {
    deliver: () => events.length > 0 && deliver(tenancy, chance.pick(events)),
    deliverAll() {
      for (const event of events) if (event.isNew) deliver(tenancy, event);
    },
    sweep: () => ignored(anyone().sweep()),
    pass: () => fixture.clock.pass(chance.pick([1000, 20_000, MINUTE_MS, 5 * MINUTE_MS, 16 * MINUTE_MS])),
    crash() {
      const [dead] = living.splice(chance.below(living.length), 1, openNode());
      orders.crash(dead!.id);
      void dead!.billing[Symbol.asyncDispose]();
    },
  };
}

function deliver({ anyone }: Tenancy, event: Tenancy["events"][number]): void {
  const delivery = anyone().webhook(event.body, "");
  ignored(
    delivery.then(() => {
      event.isNew = false;
    }),
  );
}

/** All events are received, and no actor does anything more. */
async function settle(tenancy: Tenancy): Promise<void> {
  const { fixture, chance, orders, events, processor, intents, living, anyone, steps } = tenancy;
  orders.calmDown();
  for (let round = 0; round < 3; round++) {
    for (const { id, status } of intents()) if (status === "processing") processor.finish(id, true);
    for (const event of events) if (event.isNew || chance.once(4)) deliver(tenancy, event);
    await steps(Number.POSITIVE_INFINITY);
    fixture.clock.pass(30 * MINUTE_MS);
    processor.expireOld(fixture.clock.now());
    ignored(anyone().sweep());
    await steps(Number.POSITIVE_INFINITY);
  }
  for (const { billing } of living) await billing[Symbol.asyncDispose]();
}

async function empty({ database: { query, tables: t } }: Storage): Promise<void> {
  const bought = [t.stripeEvent, t.topUp, t.billingAccount, t.creditReversal, t.creditGrant];
  for (const table of [...bought, t.usageEvent, t.creditAccount, t.usageTotal, t.requestLog])
    await query.delete(table);
}

async function saveCard(
  { storage, organizationId }: Fixture,
  processor: ReturnType<typeof openProcessor>,
  name: CardName,
) {
  const { id: customerId } = processor.createCustomer({ metadata: { organization_id: organizationId } });
  const metadata = { organization_id: organizationId };
  const urls = { success_url: "http://localhost/", cancel_url: "http://localhost/" };
  const page = processor.createSession({
    mode: "setup",
    currency: "usd",
    customer: customerId,
    metadata,
    ...urls,
  });
  processor.pay(page.id, name);
  const card = processor.cardsOf(customerId)[0]!;
  const columns = {
    paymentMethodId: card.id,
    cardBrand: "visa",
    cardLast4: "4242",
    cardExpMonth: 1,
    cardExpYear: 2034,
  };
  await quietAccounts(storage.database).change(organizationId, { customerId, ...columns });
}
