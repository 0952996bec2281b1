/**
 * GET /v1/user and /v1/user/subscription as ElevenLabs has them. Money is told in characters of the first model that speaks:
 *
 *   used this month ───────────────> character_count
 *   used + what the credit pays ───> character_limit        of an unmetered organization: more than it can use
 *
 * Not metered, and allowed to every key.
 */
import { Elysia } from "elysia";
import type { Organization } from "../../../accounts/organizations.ts";
import type { Principal } from "../../../accounts/principal.ts";
import { type Clock, unixSeconds } from "../../../clock.ts";
import { Refusal, unavailableOnError } from "../../../errors.ts";
import type { Credit } from "../../../ledger/ledger.ts";
import { type Catalogue, isTts } from "../../../models/catalogue.ts";
import { cloningModels } from "../../../models/own-voice.ts";
import { chargedPrice, tierOf } from "../../../plans.ts";
import type { DialectServices } from "../dialect.ts";

type AccountDeps = Pick<
  DialectServices,
  "access" | "accounts" | "ledger" | "catalogueFor" | "ownVoices" | "clock"
>;

const HIDDEN = { detail: { hide: true } } as const;

export function elevenLabsAccount(deps: AccountDeps) {
  const read = (request: Request) => accountOf(deps, request);
  return new Elysia()
    .get(
      "/elevenlabs/v1/user/subscription",
      async ({ request }) => {
        const { subscription } = await read(request);
        return {
          ...subscription,
          next_invoice: null,
          open_invoices: [],
          has_open_invoices: false,
          pending_change: null,
        };
      },
      HIDDEN,
    )
    .get(
      "/elevenlabs/v1/user",
      async ({ request }) => {
        const { keyId, organization, subscription } = await read(request);
        return {
          user_id: keyId,
          workspace_id: organization.id,
          first_name: organization.name,
          subscription,
          is_new_user: false,
          can_use_delayed_payment_methods: false,
          is_onboarding_completed: true,
          is_onboarding_checklist_completed: true,
          is_api_key_hashed: true,
          xi_api_key: null,
          created_at: organization.createdAt,
          seat_type: "workspace_member",
        };
      },
      HIDDEN,
    );
}

async function accountOf(deps: AccountDeps, request: Request) {
  const { access, accounts, ledger, catalogueFor, ownVoices, clock } = deps;
  const principal = await access(request, null);
  const { keyId, organizationId } = principal;
  const [organization, credit, voices] = await unavailableOnError(
    "The accounts",
    Promise.all([
      accounts.organization(organizationId),
      ledger.credit(organizationId),
      ownVoices.voices.list(organizationId),
    ]),
  );
  if (!organization) throw new Refusal("invalid_api_key", "This API key does not exist.");
  const catalogue = catalogueFor(principal);
  const subscription = {
    ...termsOf(organization, credit),
    ...charactersOf(organization, { credit, catalogue, principal }),
    next_character_count_reset_unix: nextMonth(clock),
    character_refresh_period: "monthly_period",
    billing_period: null,
    currency: "usd",
    current_overage: { amount: "0", currency: "usd" },
    max_character_limit_extension: null,
    max_credit_limit_extension: 0,
    can_extend_character_limit: false,
    allowed_to_extend_character_limit: false,
    voice_slots_used: voices.length,
    voice_limit: ownVoices.voices.max,
    max_voice_add_edits: null,
    voice_add_edit_counter: 0,
    can_extend_voice_limit: false,
    professional_voice_slots_used: 0,
    professional_voice_slots_used_in_workspace: 0,
    professional_voice_limit: 0,
    can_use_instant_voice_cloning: ownVoices.cloning && cloningModels(catalogue).length > 0,
    can_use_professional_voice_cloning: false,
  };
  return { keyId, organization, subscription };
}

function termsOf({ plan }: Organization, { purchasedMicros }: Credit) {
  const tier = plan === "unmetered" ? plan : tierOf(purchasedMicros);
  return { tier, status: tier === "free" ? "free" : "active" };
}

const UNMETERED_CHARACTERS = 1_000_000_000;

type Means = { credit: Credit; catalogue: Catalogue; principal: Pick<Principal, "priceFactor"> };

function charactersOf({ plan }: Organization, { credit, catalogue, principal }: Means) {
  const listPrice = catalogue.entries.find(isTts)?.manifest.price_micros ?? 0; // of a million
  const price = chargedPrice(listPrice, principal.priceFactor);
  const characters = (micros: number) => (price === 0 ? 0 : Math.floor((micros * 1e6) / price));
  const used = characters(credit.monthUsageMicros);
  if (plan === "unmetered" || price === 0)
    return { character_count: used, character_limit: used + UNMETERED_CHARACTERS };
  return { character_count: used, character_limit: used + characters(availableMicros(credit)) };
}

/** Bounded by the monthly limit, where there is one. */
function availableMicros({ balanceMicros, monthMicros, monthlyLimitMicros }: Credit): number {
  const untilLimit = (monthlyLimitMicros ?? Number.MAX_SAFE_INTEGER) - monthMicros;
  return Math.max(0, Math.min(balanceMicros, untilLimit));
}

function nextMonth(clock: Clock): number {
  const now = new Date(1000 * unixSeconds(clock));
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) / 1000;
}
