/** Handlers of the sign-in session, organizations, projects, pronunciations and voices. */
import { version } from "../../../../package.json";
import { type Organization, type Project, projectRecord } from "../../../accounts/organizations.ts";
import type { User } from "../../../accounts/principal.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import { limitsRecord, tierOf } from "../../../limits/tiers.ts";
import { type Catalogue, isStt, isTts } from "../../../models/catalogue.ts";
import { blendingModels, blendSets } from "../../../models/choose-voice.ts";
import { cloningModels } from "../../../models/own-voice.ts";
import type { DictionaryEntry } from "../../../speech/script/dictionary.ts";
import type { OwnVoice } from "../../../voices/voices.ts";
import type { accountRoutes } from "../schema/account-routes.ts";
import type { pronunciationRoutes } from "../schema/pronunciation-routes.ts";
import type { voiceRoutes } from "../schema/voice-routes.ts";
import { type Handlers, listed, notFound, orNotFound, type Reads } from "./handler.ts";
import { type KeyDeps, keyHandlers } from "./key-handlers.ts";

type AccountHandlers = Handlers<typeof accountRoutes>;

type AccountDeps = KeyDeps & Reads<"config" | "billing" | "ledger" | "catalogue">;

export function accountHandlers(deps: AccountDeps): AccountHandlers {
  return {
    ...sessionHandlers(deps),
    ...organizationHandlers(deps),
    ...projectHandlers(deps),
    ...connectionHandlers(deps),
    ...keyHandlers(deps),
  };
}

function sessionHandlers({ config, accounts, billing, ledger, signatures }: AccountDeps) {
  return {
    "GET /api/installation": async () => ({
      object: "installation",
      version,
      sign_up: config.identity.signUp,
      mail: config.identity.smtp ? "smtp" : "folder",
      payments: billing.available,
      fresh: await accounts.isFresh(),
    }),
    "GET /api/session": async ({ session }) => {
      const all = await accounts.memberships(session.user.id);
      const organizations = all.map(async ({ role, organization: { id, name, plan } }) => {
        const { purchasedMicros } = await ledger.credit(id);
        return { id, name, role, plan, tier: tierOf(purchasedMicros) };
      });
      return {
        user: userRecord(session.user),
        organizations: await Promise.all(organizations),
        csrf_token: await signatures.sign("csrf", session.id),
      };
    },
  } satisfies Partial<AccountHandlers>;
}

function organizationHandlers({ config, accounts, ledger }: Reads<"config" | "accounts" | "ledger">) {
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
    "PATCH /api/organizations/:organization": async ({ organizationId, body }) =>
      record(await accounts.renameOrganization(organizationId, body.name)),
  } satisfies Partial<AccountHandlers>;
}

function projectHandlers({ accounts }: Reads<"accounts">) {
  const record = (project: Project | null) => projectRecord(orNotFound("project", project));
  return {
    "GET /api/organizations/:organization/projects": async ({ organizationId }) =>
      listed((await accounts.listProjects(organizationId)).map(projectRecord)),
    "POST /api/organizations/:organization/projects": async ({ organizationId, body }) =>
      record(await accounts.createProject(organizationId, body.name)),
    "GET /api/projects/:project": async ({ ids }) => record(await accounts.project(ids.project)),
    "PATCH /api/projects/:project": async ({ ids, body }) =>
      record(await accounts.renameProject(ids.project, body.name)),
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
    "POST /api/organizations/:organization/pronunciations/remove": async ({ organizationId, body }) => {
      if (!(await pronunciations.remove(organizationId, body.word))) throw notFound("word");
    },
  };
}

/** The voices that an organization has made, as its members see them and its admins delete them. */
export function voiceHandlers({
  voices,
  config,
  catalogue,
}: Reads<"voices" | "config" | "catalogue">): Handlers<typeof voiceRoutes> {
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
  };
}

const voiceRecord = ({ id, name, kind, model, durationMs, consent, blend, createdAt }: OwnVoice) => ({
  ...{ object: "audio.voice" as const, id, name, kind, model, consent, blend },
  duration_seconds: durationMs === null ? null : durationMs / 1000,
  created_at: createdAt,
});

const userRecord = ({ emailVerified, createdAt, ...user }: User) => ({
  object: "user" as const,
  ...user,
  email_verified: emailVerified,
  created_at: createdAt,
});

async function organizationRecord(
  { id, name, plan, status, createdAt, limitOverrides }: Organization,
  ledger: Ledger,
) {
  const { purchasedMicros, monthlyLimitMicros } = await ledger.credit(id);
  return {
    id,
    object: "organization" as const,
    name,
    plan,
    tier: tierOf(purchasedMicros),
    status,
    created_at: createdAt,
    monthly_spending_limit_micros: monthlyLimitMicros,
    lifetime_purchased_micros: purchasedMicros,
    limit_overrides: limitOverrides && limitsRecord(limitOverrides),
  };
}

/** What client applications of an organization need to know of this server. */
function connectionHandlers({
  accounts,
  catalogue,
  config: { wyoming },
}: Reads<"accounts" | "catalogue" | "config">) {
  return {
    "GET /api/organizations/:organization/connection": async ({ organizationId }) => ({
      object: "connection",
      speech: speechOf(catalogue),
      transcription: transcriptionOf(catalogue),
      wyoming: wyoming && { port: wyoming.port, key_id: await ownKey(wyoming.keyId, organizationId) },
    }),
  } satisfies Partial<Handlers<typeof accountRoutes>>;

  async function ownKey(id: string, organizationId: string): Promise<string | null> {
    return (await accounts.key(id))?.organization_id === organizationId ? id : null;
  }
}

function speechOf({ entries }: Catalogue) {
  const entry = entries.filter(isTts).find(({ version }) => version !== null);
  const voice = entry?.version?.voices[0];
  return entry && voice ? { model: entry.id, voice: voice.id } : null;
}

function transcriptionOf({ entries }: Catalogue) {
  const entry = entries.filter(isStt).find(({ version }) => version !== null);
  return entry ? { model: entry.id } : null;
}
