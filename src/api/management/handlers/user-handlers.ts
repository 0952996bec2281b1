/** Handlers of the people of the server, for its operators. */
import { sellingNeeds } from "../../../config/selling-needs.ts";
import { invalidInput } from "../../../errors.ts";
import type { ServerUser } from "../../../identity/server-users.ts";
import type { userRoutes } from "../schema/user-routes.ts";
import { userRecord } from "./account-handlers.ts";
import { page } from "./cursor.ts";
import { type Handlers, notFound, orNotFound, type Reads } from "./handler.ts";

const WAITING = "person who waits for verification";

export function userHandlers({
  serverUsers,
  sellingTests,
  accounts,
  config,
  signatures,
  log,
}: Reads<"serverUsers" | "sellingTests" | "accounts" | "config" | "signatures" | "log">): Handlers<
  typeof userRoutes
> {
  const { signUp } = config.identity;
  const signUpRecord = async () => ({
    object: "sign_up" as const,
    policy: await accounts.signUpPolicy(signUp),
    is_configured: signUp !== null,
  });
  return {
    "GET /api/operator/sign-up": signUpRecord,
    "PUT /api/operator/sign-up": async ({ session, body: { policy } }) => {
      if (signUp !== null)
        throw invalidInput([
          { field: "policy", code: "not_one_of", message: "is set by LOQUAT_SIGN_UP on this server" },
        ]);
      await accounts.chooseSignUp(policy);
      log.info("sign_up_chosen", { policy, by: session.user.id });
      return signUpRecord();
    },
    "GET /api/operator/selling": async () => {
      const [first, policy] = await Promise.all([
        accounts.firstOrganization(),
        accounts.signUpPolicy(signUp),
      ]);
      const organization = first === null ? null : await accounts.organization(first);
      return {
        object: "selling" as const,
        is_selling: organization?.plan === "prepaid",
        needs: sellingNeeds(config, policy).map(({ isMet, ...need }) => ({ ...need, is_met: isMet })),
      };
    },
    "POST /api/operator/selling/test": async ({ session, body: { need } }) => {
      const { isMet, message, url } = await sellingTests(need, session.user);
      log.info("selling_tested", { need, isMet, by: session.user.id });
      return { object: "selling_test" as const, is_met: isMet, message, url };
    },
    "GET /api/operator/users": async ({ query: { search = "", status = null, limit, cursor } }) => {
      const asked = { signatures, filters: { users: search, status }, limit, cursor };
      const { data, ...rest } = await page(asked, (before, limit) =>
        serverUsers.list({ search, isPending: status === "pending", before, limit }),
      );
      return { ...rest, data: data.map(record) };
    },
    "POST /api/operator/users/:person/approve": async ({ session, ids }) => {
      if (!(await serverUsers.approve(ids.person))) throw notFound(WAITING);
      log.info("user_approved", { userId: ids.person, by: session.user.id });
    },
    "POST /api/operator/users/:person/password-link": async ({ session, ids }) => {
      const { url, expiresAt } = orNotFound("person", await serverUsers.passwordLink(ids.person));
      log.info("password_link_made", { userId: ids.person, by: session.user.id });
      return { object: "password_link", url, expires_at: expiresAt };
    },
    "DELETE /api/operator/users/:person": async ({ session, ids }) => {
      if (!(await serverUsers.remove(ids.person))) throw notFound(WAITING);
      log.info("user_removed", { userId: ids.person, by: session.user.id });
    },
  };
}

const record = ({ seenAt, organizations, ...user }: ServerUser) => ({
  ...userRecord(user),
  seen_at: seenAt,
  organizations,
});
