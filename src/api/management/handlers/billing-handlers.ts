/** Handlers of credit, payments and invoices. */
import type { Static } from "typebox";
import type { Organization } from "../../../accounts/organizations.ts";
import { balanceAlertSet, spendingLimitSet } from "../../../audit/audit-events.ts";
import type { BillingAccount } from "../../../billing/billing-accounts.ts";
import { unixSeconds } from "../../../clock.ts";
import { inBurnOrder } from "../../../ledger/booking/burn-down.ts";
import { grantRecord } from "../../../ledger/booking/grant-record.ts";
import type { Credit } from "../../../ledger/ledger.ts";
import type { Catalogue } from "../../../models/catalogue.ts";
import { backgroundPriceOf } from "../../../models/manifest.ts";
import { chargedPrice, factorAt, shownFactors, tierOf } from "../../../plans.ts";
import type { LanguageModelEntry } from "../../../upstreams/definition.ts";
import type { UpstreamSet } from "../../../upstreams/upstreams.ts";
import type { billingRoutes } from "../schema/billing-routes.ts";
import type { BillingRecord } from "../schema/records.ts";
import { type Handlers, listed, notFound, orNotFound, type Reads } from "./handler.ts";
import { invoiceHandlers, topUpRecord } from "./invoice-handlers.ts";

const LOW_MICROS = 1_000_000;

type BillingHandlers = Handlers<typeof billingRoutes>;
type BillingDeps = Reads<
  "accounts" | "billing" | "ledger" | "catalogue" | "clock" | "address" | "audit" | "alertRecipients"
> & {
  upstreams: { set: Pick<UpstreamSet, "languageModels"> };
};

export function billingHandlers(deps: BillingDeps): BillingHandlers {
  return {
    ...balanceHandlers(deps),
    ...topUpHandlers(deps),
    ...cardHandlers(deps),
    ...invoiceHandlers(deps),
  };
}

function billingRecords({ accounts, billing, ledger, ...deps }: BillingDeps) {
  const { catalogue, upstreams, clock, alertRecipients } = deps;
  return async (organizationId: string) => {
    const [organization, account, credit, told] = await Promise.all([
      accounts.organization(organizationId),
      billing.account(organizationId),
      ledger.credit(organizationId),
      alertRecipients.ofBalance(organizationId),
    ]);
    const known = orNotFound("organization", organization);
    const { plan } = known;
    const now = unixSeconds(clock);
    const prices = [...pricesOf(catalogue), ...upstreams.set.languageModels().flatMap(tokenPricesOf)];
    return {
      object: "billing" as const,
      plan,
      balance_micros: credit.balanceMicros,
      overdraft_micros: credit.overdraftMicros,
      tier: tierOf(credit.purchasedMicros),
      lifetime_purchased_micros: credit.purchasedMicros,
      month_to_date_micros: credit.monthMicros,
      monthly_spending_limit_micros: credit.monthlyLimitMicros,
      balance_alert_micros: credit.balanceAlertMicros,
      balance_alert_recipients: told,
      banner: plan === "unmetered" ? ("none" as const) : bannerOf(credit),
      auto_recharge: rechargeRecord(account),
      payment_method: cardRecord(account),
      prices: prices.map((price) => chargedAs(price, known, now)),
      price_factors: plan === "unmetered" ? null : shownFactors(known, now),
      payments: billing.available,
      invoices: billing.invoices,
    };
  };
}

function balanceHandlers(deps: BillingDeps) {
  const { accounts, billing, ledger, clock, audit, alertRecipients } = deps;
  const organizationOf = async (id: string) => orNotFound("organization", await accounts.organization(id));
  const billingRecord = billingRecords(deps);
  return {
    "GET /api/organizations/:organization/billing": async ({ organizationId }) =>
      billingRecord(organizationId),
    "GET /api/organizations/:organization/banner": async ({ organizationId }) => {
      const [organization, credit] = await Promise.all([
        organizationOf(organizationId),
        ledger.credit(organizationId),
      ]);
      const { rechargeProblem } = await billing.account(organizationId);
      const isUnmetered = organization.plan === "unmetered";
      return {
        object: "banner",
        banner: closingOf(organization) ?? (isUnmetered ? "none" : warningOf(credit)),
        balance_micros: credit.balanceMicros,
        recharge_problem: isUnmetered ? null : rechargeProblem,
        payments: billing.available,
      };
    },
    "GET /api/organizations/:organization/billing/grants": async ({ organizationId }) => {
      const now = unixSeconds(clock);
      const [all, reversals] = await Promise.all([
        ledger.grants(organizationId),
        ledger.reversals(organizationId),
      ]);
      const live = inBurnOrder(all, now);
      const over = all.filter((grant) => !live.includes(grant));
      return listed([...live, ...over].map((grant) => grantRecord(grant, { now, reversals })));
    },
    "PUT /api/organizations/:organization/billing/spending-limit": async ({ organizationId, body }) => {
      const { monthly_spending_limit_micros: micros } = body;
      await ledger.setMonthlyLimit(
        organizationId,
        micros,
        audit.prepared(spendingLimitSet(organizationId, micros)),
      );
      return billingRecord(organizationId);
    },
    "PUT /api/organizations/:organization/billing/balance-alert": async ({ organizationId, body }) => {
      const { balance_alert_micros: micros, balance_alert_recipients: addresses } = body;
      if (addresses) await alertRecipients.setOfBalance(organizationId, addresses);
      await ledger.setBalanceAlert(
        organizationId,
        micros,
        audit.prepared(balanceAlertSet(organizationId, micros)),
      );
      return billingRecord(organizationId);
    },
  } satisfies Partial<BillingHandlers>;
}

function topUpHandlers({ billing }: Reads<"billing">) {
  return {
    "GET /api/organizations/:organization/billing/top-ups": async ({ organizationId }) =>
      listed((await billing.topUps(organizationId)).map(topUpRecord)),
    "POST /api/organizations/:organization/billing/top-ups": async ({ organizationId, session, body }) => {
      const { id: userId, email } = session.user;
      const { amount_micros: amountMicros } = body;
      return topUpRecord(await billing.startTopUp({ organizationId, userId, email, amountMicros }));
    },
    "GET /api/organizations/:organization/billing/top-ups/:topUp": async ({ organizationId, ids }) => {
      const topUp = await billing.topUp(organizationId, ids.topUp);
      if (!topUp) throw notFound("top-up");
      return topUpRecord(topUp);
    },
  } satisfies Partial<BillingHandlers>;
}

function cardHandlers({ billing }: Reads<"billing">) {
  return {
    "POST /api/organizations/:organization/billing/payment-method/setup": async ({
      organizationId,
      session,
    }) => billing.startCardSetup({ organizationId, email: session.user.email }),
    "DELETE /api/organizations/:organization/billing/payment-method": async ({ organizationId }) =>
      billing.forgetCard(organizationId),
    "GET /api/organizations/:organization/billing/auto-recharge": async ({ organizationId }) =>
      rechargeRecord(await billing.account(organizationId)),
    "PUT /api/organizations/:organization/billing/auto-recharge": async ({ organizationId, body }) => {
      const { enabled, threshold_micros: thresholdMicros, target_micros: targetMicros } = body;
      return rechargeRecord(
        await billing.setRecharge(organizationId, { enabled, thresholdMicros, targetMicros }),
      );
    },
  } satisfies Partial<BillingHandlers>;
}

function bannerOf({ balanceMicros }: Credit) {
  if (balanceMicros <= 0) return "out_of_credits" as const;
  return balanceMicros < LOW_MICROS ? ("low_balance" as const) : ("none" as const);
}

const warningOf = (credit: Credit) => (isAtLimit(credit) ? ("spending_limit" as const) : bannerOf(credit));

const isAtLimit = ({ monthMicros, monthlyLimitMicros }: Credit) =>
  monthlyLimitMicros !== null && monthMicros >= monthlyLimitMicros;

const pricesOf = ({ entries }: Catalogue) =>
  entries.map(({ id, manifest, nextPrice }) => ({
    model: id,
    name: manifest.name,
    unit: manifest.type === "tts" ? ("character" as const) : ("second" as const),
    unit_price_micros: manifest.price_micros,
    ...(manifest.type === "stt" && { background_unit_price_micros: backgroundPriceOf(manifest) }),
    ...(nextPrice && {
      next: {
        unit_price_micros: nextPrice.micros,
        ...(manifest.type === "stt" && {
          background_unit_price_micros: nextPrice.backgroundMicros ?? nextPrice.micros,
        }),
        valid_from: nextPrice.validFrom,
      },
    }),
  }));

type Price = Static<typeof BillingRecord>["prices"][number];

type Amounts = Pick<Price, "unit_price_micros" | "background_unit_price_micros">;

const amountsAs = <Of extends Amounts>(price: Of, factor: number): Of => ({
  ...price,
  unit_price_micros: chargedPrice(price.unit_price_micros, factor),
  ...(price.background_unit_price_micros !== undefined && {
    background_unit_price_micros: chargedPrice(price.background_unit_price_micros, factor),
  }),
});

/** At the price factor of the time when it holds. */
const chargedAs = (price: Price, payer: Organization, now: number): Price => ({
  ...amountsAs(price, factorAt(payer, now)),
  ...(price.next && { next: amountsAs(price.next, factorAt(payer, price.next.valid_from)) }),
});

/** Of a language model; none where its operator has set no prices. */
const tokenPricesOf = ({ entry }: { entry: LanguageModelEntry }) =>
  (["input", "output"] as const).flatMap((direction) => {
    const unit_price_micros = entry[`price_${direction}_micros`];
    const model = { model: entry.model, name: entry.model };
    return unit_price_micros === undefined
      ? []
      : [{ ...model, unit: `${direction}_token` as const, unit_price_micros }];
  });

/** Why keys of an organization are refused, or null. */
function closingOf({ status, deleteAt }: Organization) {
  if (deleteAt !== null) return "about_to_be_deleted";
  return status === "suspended" ? status : null;
}

const rechargeRecord = (account: BillingAccount) => ({
  enabled: account.rechargeEnabled,
  threshold_micros: account.rechargeThresholdMicros,
  target_micros: account.rechargeTargetMicros,
  failures: account.rechargeFailures,
  problem: account.rechargeProblem,
});

function cardRecord({ cardBrand, cardLast4, cardExpMonth, cardExpYear }: BillingAccount) {
  if (cardBrand === null || cardLast4 === null || cardExpMonth === null || cardExpYear === null) return null;
  return { brand: cardBrand, last4: cardLast4, exp_month: cardExpMonth, exp_year: cardExpYear };
}
