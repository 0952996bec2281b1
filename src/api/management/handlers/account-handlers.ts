/** Handlers of the sign-in session, organizations, projects, pronunciations and voices. */
import { version } from "../../../../package.json";
import { type Organization, statusOf } from "../../../accounts/organizations.ts";
import type { User } from "../../../accounts/principal.ts";
import { type Project, projectRecord } from "../../../accounts/projects.ts";
import { usedOf, withBudgetUse } from "../../../budget-use.ts";
import { unixSeconds } from "../../../clock.ts";
import { Refusal } from "../../../errors.ts";
import { hasSecondFactor } from "../../../identity/second-factor-needs.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import { type Catalogue, isStt, isTts } from "../../../models/catalogue.ts";
import { blendingModels, blendSets } from "../../../models/choose-voice.ts";
import { cloningModels } from "../../../models/own-voice.ts";
import { limitsRecord, tierOf } from "../../../plans.ts";
import type { DictionaryEntry } from "../../../speech/script/dictionary.ts";
import type { Consent } from "../../../voices/consents.ts";
import type { OwnVoice } from "../../../voices/voices.ts";
import type { accountRoutes } from "../schema/account-routes.ts";
import type { pronunciationRoutes } from "../schema/pronunciation-routes.ts";
import type { voiceRoutes } from "../schema/voice-routes.ts";
import { type Handlers, listed, notFound, orNotFound, type Reads } from "./handler.ts";
import { type KeyDeps, keyHandlers, restrictingOf } from "./key-handlers.ts";
import { checkWithin, retentionOf, retentionRecord } from "./retention-fields.ts";

type AccountHandlers = Handlers<typeof accountRoutes>;

type AccountDeps = KeyDeps & Reads<"config" | "address" | "billing" | "ledger" | "catalogue" | "wyoming">;

export function accountHandlers(deps: AccountDeps): AccountHandlers {
  return {
    ...sessionHandlers(deps),
    ...organizationHandlers(deps),
    ...projectHandlers(deps),
    ...connectionHandlers(deps),
    ...keyHandlers(deps),
  };
}

function sessionHandlers({ config, address, accounts, billing, ledger, signatures }: AccountDeps) {
  return {
    "GET /api/installation": async () => ({
      object: "installation",
      version,
      url: address.origin(),
      sign_up: await accounts.signUpPolicy(config.identity.signUp),
      mail: config.identity.smtp ? "smtp" : "folder",
      payments: billing.available,
      request_log_days: config.retention.logDays,
      key_max_days: config.retention.keyMaxDays,
      passwords: config.identity.passwords,
      sign_in_providers: config.identity.providers.map(({ id, name }) => ({ id, name })),
      fresh: await accounts.isFresh(),
    }),
    "GET /api/session": async ({ session }) => {
      const all = await accounts.memberships(session.user.id);
      const organizations = all.map(async ({ role, organization: { id, name, plan, requireTwoFactor } }) => {
        const { purchasedMicros } = await ledger.credit(id);
        const tier = tierOf(purchasedMicros);
        return { id, name, role, plan, tier, require_two_factor: requireTwoFactor };
      });
      const { operator, twoFactorEnabled } = session.user;
      return {
        user: userRecord(session.user),
        provider: session.source,
        organizations: await Promise.all(organizations),
        csrf_token: await signatures.sign("csrf", session.id),
        two_factor: {
          enabled: twoFactorEnabled,
          satisfied: hasSecondFactor(session),
          required: operator && config.identity.operatorsTwoFactor,
        },
      };
    },
  } satisfies Partial<AccountHandlers>;
}

export function organizationHandlers({ config, accounts, ledger }: Reads<"config" | "accounts" | "ledger">) {
  const record = (organization: Organization | null) =>
    organizationRecord(orNotFound("organization", organization), ledger);
  return {
    "GET /api/organizations": async ({ session }) => {
      const all = await accounts.memberships(session.user.id);
      return listed(await Promise.all(all.map(({ organization }) => record(organization))));
    },
    "POST /api/organizations": async ({ session: { user }, body }) => {
      const plan = user.operator ? config.plan : "prepaid";
      return record(await accounts.createOrganization(body.name, { plan, ownerId: user.id }));
    },
    "GET /api/organizations/:organization": async ({ organizationId }) =>
      record(await accounts.organization(organizationId)),
    "PATCH /api/organizations/:organization": async ({ organizationId, body: { name, ...kept } }) => {
      checkWithin(kept, config.retention);
      if (name !== undefined) await accounts.renameOrganization(organizationId, name);
      await accounts.setRetention(organizationId, retentionOf(kept));
      return record(await accounts.organization(organizationId));
    },
    "PUT /api/organizations/:organization/two-factor": async ({ organizationId, session, body }) => {
      if (body.required && !hasSecondFactor(session))
        throw new Refusal("two_factor_required", "Set up a second factor of your own first.");
      return record(await accounts.requireTwoFactor(organizationId, body.required));
    },
  } satisfies Partial<AccountHandlers>;
}

export function projectHandlers({ accounts, clock, ledger }: Reads<"accounts" | "clock" | "ledger">) {
  const now = () => unixSeconds(clock);
  const record = (project: Project | null) =>
    usedOf(ledger, projectRecord(orNotFound("project", project), now()));
  return {
    "GET /api/organizations/:organization/projects": async ({ organizationId }) => {
      const projects = await accounts.listProjects(organizationId);
      const at = now();
      return listed(
        await withBudgetUse(
          ledger,
          projects.map((each) => projectRecord(each, at)),
        ),
      );
    },
    "POST /api/organizations/:organization/projects": async ({ organizationId, body }) =>
      record(await accounts.createProject(organizationId, body.name)),
    "GET /api/projects/:project": async ({ ids }) => record(await accounts.project(ids.project)),
    "PATCH /api/projects/:project": async ({ ids, body }) =>
      record(
        await accounts.updateProject(ids.project, {
          ...(body.name !== undefined && { name: body.name }),
          ...restrictingOf(body),
          ...(body.default_key_restrictions !== undefined && {
            defaultKeyRestrictions: body.default_key_restrictions,
          }),
          ...(body.data_retention !== undefined && { dataRetention: body.data_retention }),
        }),
      ),
    "POST /api/projects/:project/archive": async ({ ids }) =>
      record(await accounts.archiveProject(ids.project)),
  } satisfies Partial<AccountHandlers>;
}

/** The dictionary of an organization, as its members see it and its admins edit it. */
export function pronunciationHandlers({
  pronunciations,
}: Reads<"pronunciations">): Handlers<typeof pronunciationRoutes> {
  const record = (entry: DictionaryEntry) => ({ object: "pronunciation" as const, ...entry });
  return {
    "GET /api/organizations/:organization/pronunciations": async ({ organizationId }) => ({
      object: "list",
      data: (await pronunciations.list(organizationId)).map(record),
    }),
    "PUT /api/organizations/:organization/pronunciations": async ({ organizationId, body }) => {
      const { word, alias = null, phonemes = null } = body;
      return record(await pronunciations.put(organizationId, { word, alias, phonemes }));
    },
    "POST /api/organizations/:organization/pronunciations/import": async ({ organizationId, body }) => ({
      object: "pronunciation.import",
      ...(await pronunciations.importFile(organizationId, body.text, body.replace ?? false)),
    }),
    "POST /api/organizations/:organization/pronunciations/remove": async ({ organizationId, body }) => {
      if (!(await pronunciations.remove(organizationId, body.word))) throw notFound("word");
    },
  };
}

/** The voices and the consents of an organization, as its members see them and its admins delete them. */
export function voiceHandlers({
  voices,
  consents,
  config,
  catalogue,
}: Reads<"voices" | "consents" | "config" | "catalogue">): Handlers<typeof voiceRoutes> {
  const cloning = () => {
    if (!config.voices.cloning) return "disabled";
    return cloningModels(catalogue).length > 0 ? "available" : "not_installed";
  };
  return {
    "GET /api/organizations/:organization/voices": async ({ organizationId }) => ({
      object: "list",
      data: (await voices.list(organizationId)).map(voiceRecord),
      voices_max: voices.max,
      cloning: cloning(),
      blending: blendingModels(catalogue)
        .map(({ id, manifest }) => ({ model: id, voices: blendSets(manifest) }))
        .filter((each) => each.voices.length > 0),
    }),
    "DELETE /api/organizations/:organization/voices/:voice": async ({ organizationId, ids }) => {
      if (!(await voices.remove(organizationId, ids.voice))) throw notFound("voice");
    },
    "GET /api/organizations/:organization/voice-consents": async ({ organizationId }) =>
      listed((await consents.list(organizationId, { after: null, limit: voices.max })).map(consentRecord)),
    "DELETE /api/organizations/:organization/voice-consents/:consent": async ({ organizationId, ids }) => {
      if (!(await consents.remove(organizationId, ids.consent))) throw notFound("consent");
    },
  };
}

const voiceRecord = ({ id, name, kind, model, durationMs, consent, blend, createdAt }: OwnVoice) => ({
  ...{ object: "audio.voice" as const, id, name, kind, model, consent, blend },
  duration_seconds: durationMs === null ? null : durationMs / 1000,
  created_at: createdAt,
});

const consentRecord = ({ id, name, language, createdAt }: Consent) => ({
  ...{ object: "audio.voice_consent" as const, id, name, language },
  created_at: createdAt,
});

export const userRecord = (user: Omit<User, "twoFactorEnabled">) => {
  const { id, email, name, operator, emailVerified, createdAt } = user;
  return {
    ...{ id, object: "user" as const, email, name, operator },
    email_verified: emailVerified,
    created_at: createdAt,
  };
};

export async function organizationRecord(organization: Organization, ledger: Ledger) {
  const { id, name, plan, createdAt, limitOverrides, requireTwoFactor, deleteAt, ...kept } = organization;
  const { purchasedMicros, monthlyLimitMicros } = await ledger.credit(id);
  return {
    id,
    object: "organization" as const,
    name,
    plan,
    tier: tierOf(purchasedMicros),
    status: statusOf(organization),
    require_two_factor: requireTwoFactor,
    created_at: createdAt,
    ...retentionRecord(kept),
    monthly_spending_limit_micros: monthlyLimitMicros,
    lifetime_purchased_micros: purchasedMicros,
    limit_overrides: limitOverrides && limitsRecord(limitOverrides),
    delete_at: deleteAt,
  };
}

/** What client applications of an organization need to know of this server. */
function connectionHandlers({
  accounts,
  address,
  catalogue,
  wyoming: port,
}: Reads<"accounts" | "address" | "catalogue" | "wyoming">) {
  return {
    "GET /api/organizations/:organization/connection": async ({ organizationId }) => {
      const wyoming = port.current();
      return {
        object: "connection",
        addresses: address.origins(),
        speech: speechOf(catalogue),
        transcription: transcriptionOf(catalogue),
        wyoming: wyoming && { port: wyoming.port, key_id: await ownKey(wyoming.keyId, organizationId) },
      };
    },
  } satisfies Partial<Handlers<typeof accountRoutes>>;

  async function ownKey(id: string, organizationId: string): Promise<string | null> {
    return (await accounts.key(id))?.organization_id === organizationId ? id : null;
  }
}

function speechOf({ entries }: Catalogue) {
  const entry = entries.filter(isTts).find(({ version }) => version !== null);
  const voice = entry?.version?.voices[0];
  return entry && voice ? { model: entry.id, voice: voice.id, voice_name: voice.name } : null;
}

function transcriptionOf({ entries }: Catalogue) {
  const entry = entries.filter(isStt).find(({ version }) => version !== null);
  return entry ? { model: entry.id } : null;
}
