/** An organization with a project and a key whose alerts a test sets off, made anew for each test. */
import { afterEach, beforeEach, expect } from "bun:test";
import { createHmac } from "node:crypto";
import { openAccounts } from "../../../src/accounts/accounts.ts";
import {
  type AlertRecipients,
  openAlertRecipients,
  type RecipientDeps,
} from "../../../src/alerts/recipients.ts";
import {
  type AlertSettings,
  openSpendAlerts,
  type SpendAlerts,
  type Watched,
} from "../../../src/alerts/spend-alerts.ts";
import type { Database } from "../../../src/db/database.ts";
import { openAttemptCounter } from "../../../src/identity/attempt-counter.ts";
import { isEmail } from "../../../src/identity/routes/email.ts";
import type { Charge } from "../../../src/ledger/booking/burn-down.ts";
import { type Ledger, openLedger } from "../../../src/ledger/ledger.ts";
import type { Store } from "../../../src/ledger/store.ts";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { heldClock } from "../../harness.ts";
import { chargeOf, requestFor } from "../ledger/charges.ts";

/** A database that several nodes open, each with a store of its own. */
export type AlertFixture = AsyncDisposable & { open(): Promise<AlertNode> };
type AlertNode = AsyncDisposable & { database: Database; store: Store };

export const DOLLAR = 1_000_000;
export const NOVEMBER = Date.UTC(2026, 10, 1) / 1000;
export const DECEMBER = Date.UTC(2026, 11, 1) / 1000;
const START = Date.UTC(2026, 10, 28, 12);

const sign = async (text: string) => createHmac("sha256", "a secret").update(text).digest("base64url");
export const SIGNATURES = {
  sign,
  verify: async (text: string, signature: string) => (await sign(text)) === signature,
};

export const amount = (dollars: number, parts: Partial<AlertSettings> = {}): AlertSettings => ({
  ...{
    threshold: { amountMicros: dollars * DOLLAR },
    channel: "webhook",
    recipients: [],
    subjectPrefix: null,
  },
  ...parts,
});

/** Opened before each test of the suite that it is called in, and closed after it. */
export function openSetting(prepare: () => Promise<AlertFixture>) {
  const on = {} as {
    fixture: AlertFixture;
    node: AlertNode;
    ledger: Ledger;
    alerts: SpendAlerts;
    recipients: AlertRecipients;
    asking: NonNullable<RecipientDeps["asking"]>;
    clock: ReturnType<typeof heldClock>;
    /** Ids of the organization, its project and key. */
    org: string;
    proj: string;
    key: string;
  };
  const askedBy = () => ({ database: on.node.database, signatures: SIGNATURES, clock: on.clock });
  const alertsWith = (recipients: AlertRecipients) =>
    openSpendAlerts({ database: on.node.database, clock: on.clock, recipients });
  /** Of a server that sends no mail. */
  const withoutMail = () => alertsWith(openAlertRecipients({ ...askedBy(), asking: null }));
  beforeEach(async () => {
    on.clock = heldClock(START);
    on.fixture = await prepare();
    on.node = await on.fixture.open();
    on.ledger = openLedger(on.node.store, on.clock);
    on.asking = {
      attempts: openAttemptCounter(on.node.database, on.clock),
      ...{ isAllowed: async () => true, isAddress: isEmail, wake: () => {} },
    };
    on.recipients = openAlertRecipients({ ...askedBy(), asking: on.asking });
    on.alerts = alertsWith(on.recipients);
    const accounts = openAccounts(on.node.database, on.clock);
    on.org = (await accounts.createOrganization("Acme")).id;
    on.proj = (await accounts.createProject(on.org, "Radio")).id;
    on.key = (await newKey("Production")).id;
  });
  afterEach(async () => {
    await on.ledger[Symbol.asyncDispose]();
    await on.node[Symbol.asyncDispose]();
    await on.fixture[Symbol.asyncDispose]();
  });

  const newKey = (name: string) =>
    openAccounts(on.node.database, on.clock).createKey({
      ...{ projectId: on.proj, name, environment: "live", scopes: [], expiresAt: null },
    });
  const now = () => Math.floor(on.clock.now() / 1000);
  const chargeFor = (dollars: number, parts: Partial<Charge> = {}): Charge =>
    chargeOf({
      ...{ organizationId: on.org, projectId: on.proj, keyId: on.key, plan: "unmetered" },
      ...{ costMicros: Math.round(dollars * DOLLAR), createdAt: now() },
      ...parts,
    });
  const book = (charge: Charge, to = on.ledger) => to.charge(charge, requestFor(charge));
  async function spend(dollars: number, parts: Partial<Charge> = {}): Promise<Charge> {
    const charge = chargeFor(dollars, parts);
    await book(charge);
    return charge;
  }
  const refund = ({ id: chargeId, organizationId, requestId }: Charge, dollars: number) =>
    on.ledger.refund({
      ...{ chargeId, organizationId, requestId },
      ...{ quantity: 1, costMicros: Math.round(dollars * DOLLAR) },
    });
  const watched = (of: "organization" | "project" | "key"): Watched => ({
    organizationId: on.org,
    projectId: of === "organization" ? null : on.proj,
    keyId: of === "key" ? on.key : null,
  });
  const firings = async () => {
    const rows = await on.node.database.query.select().from(on.node.database.tables.spendAlertFiring);
    return rows
      .map(({ start, thresholdMicros, micros }) => [start, thresholdMicros / DOLLAR, micros / DOLLAR])
      .toSorted((one, other) => one[0]! - other[0]! || one[1]! - other[1]!);
  };
  const work = () => on.node.database.query.select().from(on.node.database.tables.work);
  const isClean = async () => expect(differencesOf(await on.ledger.audit())).toEqual([]);

  async function member(email: string, emailVerified = true): Promise<string> {
    const { query, tables } = on.node.database;
    const id = `user_${email.split("@")[0]}`;
    const at = new Date(on.clock.now());
    await query.insert(tables.user).values({
      ...{ id, name: email, email, emailVerified, createdAt: at, updatedAt: at },
    });
    await query.insert(tables.member).values({
      ...{ id: `mem_${id}`, organizationId: on.org, userId: id, role: "member", createdAt: at },
    });
    return id;
  }

  const helpers = {
    withoutMail,
    member,
    newKey,
    now,
    chargeFor,
    book,
    spend,
    refund,
    watched,
    firings,
    work,
    isClean,
  };
  return { on, ...helpers };
}
