/**
 * The pages, each a chunk of code of its own: fetched when it is first opened or, so that opening it takes no time, before
 * that while the browser is idle.
 */
import { type Code, fetchedLater as page } from "../ui/code.tsx";

/** By address. */
export const PUBLIC_ROUTES: Record<string, Code> = {
  "/sign-in": page(async () => (await import("../auth/sign-in.tsx")).SignIn),
  "/sign-up": page(async () => (await import("../auth/sign-up.tsx")).SignUp),
  "/verify": page(async () => (await import("../auth/verify.tsx")).Verify),
  "/forgot": page(async () => (await import("../auth/forgot.tsx")).Forgot),
  "/reset": page(async () => (await import("../auth/reset.tsx")).Reset),
  "/invitation": page(async () => (await import("../auth/invitation.tsx")).InvitationPage),
  "/mail-of-alerts": page(async () => (await import("../auth/mail-of-alerts.tsx")).MailOfAlerts),
  "/setup/:step?": page(async () => (await import("../setup/set-up.tsx")).SetUp),
  "/playground": page(async () => (await import("../playground/playground.tsx")).PublicPlayground),
};

/** By the name in the address. */
export const ORGANIZATION_PAGES: Record<string, Code> = {
  overview: page(async () => (await import("../overview/overview.tsx")).Overview),
  usage: page(async () => (await import("../usage/usage.tsx")).Usage),
  jobs: page(async () => (await import("../jobs/jobs.tsx")).Jobs),
  requests: page(async () => (await import("../requests/requests.tsx")).Requests),
  keys: page(async () => (await import("../keys/keys.tsx")).Keys),
  automation: page(async () => (await import("../keys/automation.tsx")).Automation),
  webhooks: page(async () => (await import("../webhooks/webhooks.tsx")).Webhooks),
  audit: page(async () => (await import("../audit/audit.tsx")).AuditLog),
  playground: page(async () => (await import("../playground/playground.tsx")).Playground),
  connect: page(async () => (await import("../connect/connect.tsx")).Connect),
  limits: page(async () => (await import("../limits/limits.tsx")).Limits),
  projects: page(async () => (await import("../organization/projects.tsx")).Projects),
  members: page(async () => (await import("../organization/members.tsx")).Members),
  billing: page(async () => (await import("../billing/billing.tsx")).Billing),
  pronunciations: page(async () => (await import("../organization/pronunciations.tsx")).Pronunciations),
  voices: page(async () => (await import("../voices/voices.tsx")).Voices),
  settings: page(async () => (await import("../organization/settings.tsx")).Settings),
};
export const OPERATOR_PAGES: Record<string, Code> = {
  organizations: page(async () => (await import("../operator/tenants/organizations.tsx")).Organizations),
  accounts: page(async () => (await import("../operator/tenants/monthly-accounts.tsx")).MonthlyAccounts),
  business: page(async () => (await import("../operator/tenants/business.tsx")).Business),
  users: page(async () => (await import("../operator/users.tsx")).Users),
  models: page(async () => (await import("../operator/models.tsx")).Models),
  prices: page(async () => (await import("../operator/prices/price-list.tsx")).PriceList),
  aliases: page(async () => (await import("../operator/alias-list.tsx")).AliasList),
  upstreams: page(async () => (await import("../operator/upstreams/upstream-list.tsx")).UpstreamList),
  conversations: page(
    async () => (await import("../operator/conversations/conversation-list.tsx")).ConversationList,
  ),
  webhooks: page(async () => (await import("../webhooks/webhooks.tsx")).ServerWebhooks),
  audit: page(async () => (await import("../audit/audit.tsx")).ServerAuditLog),
  status: page(async () => (await import("../operator/status.tsx")).Status),
};
export const TENANT_PAGE = page(async () => (await import("../operator/tenants/tenant.tsx")).TenantPage);
export const ACCOUNT_PAGE = page(async () => (await import("../account/account.tsx")).Account);

/** Whose texts follow the language of the pages. */
export const TRANSLATED_PAGES = new Set(["account", "jobs", "overview", "playground", "voices"]);

type Idle = (callback: () => void) => void;

/** Safari has no idle callbacks. */
const whenIdle: Idle =
  "requestIdleCallback" in globalThis
    ? (callback) => void requestIdleCallback(callback)
    : (callback) => void setTimeout(callback, 200);

const savesData = (): boolean =>
  (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;

/** Fetches the code of the pages behind sign-in, one after another, unless the browser is asked to save data. */
export function fetchPagesWhenIdle({ isOperator }: { isOperator: boolean }): void {
  if (savesData()) return;
  const server = isOperator ? [...Object.values(OPERATOR_PAGES), TENANT_PAGE] : [];
  const waiting = [...Object.values(ORGANIZATION_PAGES), ACCOUNT_PAGE, ...server];
  const next = () => {
    const code = waiting.shift();
    // what cannot be fetched now is reported when its page is opened
    if (code)
      whenIdle(
        () =>
          void code
            .fetchCode()
            .catch(() => {})
            .then(next),
      );
  };
  next();
}
