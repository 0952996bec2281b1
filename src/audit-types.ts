/** The types of events of the audit log, how each reads in a sentence, and the kinds that lists are narrowed to. */

/** What is said after who did it. `{}`: the name of what was changed. */
const PHRASES = {
  "api_key.created": "created the API key {}",
  "api_key.updated": "changed the API key {}",
  "api_key.deleted": "revoked the API key {}",
  "invite.sent": "invited {}",
  "invite.accepted": "accepted the invitation of {}",
  "invite.deleted": "ended the invitation of {}",
  "login.succeeded": "signed in",
  "login.failed": "failed to sign in",
  "logout.succeeded": "signed out",
  "two_factor.enabled": "switched on a second factor",
  "two_factor.disabled": "switched off a second factor",
  "two_factor.codes_created": "made new recovery codes",
  "two_factor.reset": "removed the second factor of {}",
  "organization.created": "created the organization",
  "organization.updated": "changed the organization",
  "organization.note.updated": "changed the operators' note about {}",
  "organization.suspended": "suspended the organization",
  "organization.resumed": "resumed the organization",
  "organization.deleted": "deleted the organization",
  "user.exported": "downloaded all that is kept about them",
  "organization.exported": "downloaded all that is kept of the organization",
  "project.created": "created the project {}",
  "project.updated": "changed the project {}",
  "project.archived": "archived the project {}",
  "rate_limit.updated": "changed rate limits",
  "plan.updated": "changed the plan",
  "service_account.created": "created the service account {}",
  "service_account.updated": "changed the service account {}",
  "service_account.deleted": "deleted the service account {}",
  "user.added": "added {}",
  "user.updated": "changed the account of {}",
  "user.deleted": "removed {}",
  "billing.top_up": "started a top-up",
  "billing.card.added": "added a card",
  "billing.card.removed": "removed the card",
  "billing.auto_recharge.updated": "changed auto-recharge",
  "billing.spending_limit.updated": "changed the monthly spending limit",
  "billing.price_factor.updated": "changed the price factor",
  "billing.credit.granted": "added credit",
  "billing.credit.revoked": "took credit back",
  "billing.balance_alert.updated": "changed the balance alert",
  "billing.details.updated": "changed the billing details",
  "billing.refunded": "refunded a top-up",
  "billing.code.created": "created the voucher code {}",
  "billing.code.voided": "voided the voucher code {}",
  "voice.created": "created the voice {}",
  "voice.deleted": "deleted the voice {}",
  "pronunciation.updated": "changed the pronunciation of {}",
  "package.installed": "installed the package {}",
  "package.removed": "removed the package {}",
  "upstream.updated": "changed the upstream {}",
  "upstream.deleted": "removed the upstream {}",
  "spend_alert.created": "created a spend alert",
  "spend_alert.updated": "changed a spend alert",
  "spend_alert.deleted": "deleted a spend alert",
  "spend_alert.recipient_confirmed": "let an address get mail of alerts by its mailed link",
  "spend_alert.recipient_unsubscribed": "stopped mail of alerts to an address by its mailed link",
  "webhook.created": "created the webhook endpoint {}",
  "webhook.updated": "changed the webhook endpoint {}",
  "webhook.deleted": "deleted the webhook endpoint {}",
  "webhook.secret_rotated": "made a new secret for the webhook endpoint {}",
  "server.updated": "changed the settings of the server",
  "server.backed_up": "downloaded a backup of the server",
  "alias.updated": "changed the alias {}",
  "price.updated": "set a price of {}",
  "price.deleted": "removed a price of {}",
  "conversation.updated": "changed the conversation {}",
  "conversation.deleted": "deleted the conversation {}",
} as const;

export type AuditType = keyof typeof PHRASES;

const AUDIT_TYPES = Object.keys(PHRASES) as AuditType[];

/** Of what people do to their own account. */
const OWN: Partial<Record<AuditType, string>> = {
  "user.added": "joined",
  "user.updated": "changed their account",
  "user.deleted": "left",
  "two_factor.reset": "lost their second factor",
};

/** The kinds of events by the beginning of their types. */
const KINDS = {
  api_key: "API keys",
  service_account: "Service accounts",
  login: "Signing in",
  logout: "Signing out",
  two_factor: "Second factor",
  user: "Members",
  invite: "Invitations",
  organization: "Organization",
  project: "Projects",
  plan: "Plan",
  rate_limit: "Rate limits",
  billing: "Billing and credit",
  spend_alert: "Spend alerts",
  voice: "Voices",
  pronunciation: "Pronunciations",
  webhook: "Webhooks",
  package: "Packages",
  upstream: "Upstreams",
  alias: "Aliases",
  price: "Prices",
  conversation: "Conversations",
  server: "Settings of the server",
};

export type AuditKind = keyof typeof KINDS;

/** They have no events in an organization. */
const OF_SERVER = new Set<string>(["package", "upstream", "alias", "price", "conversation", "server"]);

const kindOf = (type: string): string => type.split(".")[0]!;

/** Each kind with its types. */
export const AUDIT_KINDS = Object.entries(KINDS).map(([id, name]) => ({
  ...{ id: id as AuditKind, name, isOfServer: OF_SERVER.has(id) },
  types: AUDIT_TYPES.filter((type) => kindOf(type) === id),
}));

/** An event with names, as the management API tells it. */
type Named = {
  type: string;
  resource_id: string | null;
  resource_name: string | null;
  actor: Actor;
  changes: { field: string; before?: unknown; after?: unknown }[];
};

/** The parts of a sentence: who, what they did, and the name of what they did it to, if it has one. */
export function sentenceOf(event: Named): { actor: string; deed: string; resource: string | null } {
  const { type, actor, resource_id } = event;
  const { text, isNamed } = deedOf({ type, actorId: actor.id, resourceId: resource_id });
  return { actor: actorNameOf(actor), deed: text, resource: isNamed ? resourceOf(event) : null };
}

/** By its name now; by what it was called then, where it is gone; otherwise by its id. */
function resourceOf({ resource_name, resource_id, changes }: Named): string | null {
  if (resource_name !== null) return resource_name;
  const named = changes.find(({ field }) => field === "name" || field === "email");
  const then = named?.after ?? named?.before;
  return typeof then === "string" ? then : resource_id;
}

type Deed = { type: string; actorId: string | null; resourceId: string | null };

/** What is said after who did it, and whether the name of what was changed follows. */
export function deedOf({ type, actorId, resourceId }: Deed): { text: string; isNamed: boolean } {
  const own = actorId !== null && actorId === resourceId ? OWN[type as AuditType] : undefined;
  const phrase: string = own ?? PHRASES[type as AuditType] ?? type;
  const text = phrase.replace(/ ?\{\}$/, "");
  const isAdminKey = resourceId?.startsWith("akey_") === true;
  return { text: isAdminKey ? text.replace("API key", "admin key") : text, isNamed: phrase.endsWith("{}") };
}

const ACTORS = {
  user: "Someone",
  operator: "An operator",
  api_key: "An API key",
  admin_key: "An admin key",
  command_line: "The command line",
  system: "The server",
};

export type ActorType = keyof typeof ACTORS;

export const ACTOR_TYPES = Object.keys(ACTORS) as ActorType[];

type Actor = { type: string; id: string | null; name: string | null; email: string | null };

/** Who did it: by name, or as far as it is known. */
function actorNameOf({ type, id, name, email }: Actor): string {
  const known = name ?? email ?? id;
  if (known === null) return ACTORS[type as ActorType] ?? type;
  if (type === "operator") return `${known} (operator)`;
  if (type === "api_key") return `API key ${known}`;
  if (type === "admin_key") return `Admin key ${known}`;
  return known;
}
