/**
 * What a sign-in session must have shown: a second factor, where the organization or the server asks for one, and a recent
 * code of it, before what costs money or cannot be undone.
 *
 * A provider vouches for those whom it signs in, unless it says that it asked for one factor only.
 */
import type { Session } from "../accounts/principal.ts";
import { Refusal } from "../errors.ts";

/** How long a code counts as a confirmation. */
const CONFIRMED_SECONDS = 900;

/** Whether a second factor stands behind the session. */
export const hasSecondFactor = ({ source, user, confirmedAt, isSingleFactor }: Session): boolean =>
  (user.twoFactorEnabled && confirmedAt !== null) || (source !== null && !isSingleFactor);

/** Refuses who has given no code lately. Who has no second factor has none to give. */
export function needConfirmation({ user, confirmedAt }: Session, nowSeconds: number): void {
  if (!user.twoFactorEnabled) return;
  if (confirmedAt !== null && nowSeconds - confirmedAt < CONFIRMED_SECONDS) return;
  throw new Refusal(
    "confirmation_required",
    "Confirm this with a code of your authenticator app: send it to POST /api/auth/two-factor/verify-totp, or a recovery code to /api/auth/two-factor/verify-backup-code, and repeat the request. A code counts for 15 minutes.",
  );
}

type Asking = {
  accounts: { needsTwoFactor(organizationId: string): Promise<boolean> };
  config: { operatorsTwoFactor: boolean };
};

/** Refuses a session without a second factor where the organization wants one of its members, or the server of its operators. */
export async function needSecondFactor(
  { accounts, config }: Asking,
  session: Session,
  organizationId: string | null,
): Promise<void> {
  if (hasSecondFactor(session)) return;
  if (session.user.operator && config.operatorsTwoFactor) throw required("This server", session);
  if (organizationId !== null && (await accounts.needsTwoFactor(organizationId)))
    throw required("This organization", session);
}

const required = (who: string, { source }: Session) =>
  new Refusal(
    "two_factor_required",
    source === null
      ? `${who} asks for a second factor. Set one up on your account page.`
      : `${who} asks for a second factor, and your provider says that you signed in with one. Sign in there with both.`,
  );
