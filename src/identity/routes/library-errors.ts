/** Errors of the identity library and its database, as this server's own. */
import { invalidInput, Refusal, unavailableOnError } from "../../errors.ts";

/** Reports a failing database as unavailable, without its query's parameters: hashes and addresses must not be logged. */
export function accountsOrUnavailable<T>(work: Promise<T>): Promise<T> {
  const bare = work.catch((error) => {
    throw error instanceof Error && "params" in error ? error.cause : error;
  });
  return unavailableOnError("The accounts", bare);
}

const invalidToken = () => new Refusal("invalid_token", "This link is invalid or has expired.");
const notFound = () => new Refusal("not_found", "Not found.");

/** The library's error codes, as this server answers them. */
const REFUSALS: Record<string, () => Refusal> = {
  INVALID_EMAIL_OR_PASSWORD: () =>
    new Refusal("invalid_credentials", "The e-mail address or the password is wrong."),
  INVALID_PASSWORD: () => new Refusal("invalid_credentials", "The password is wrong."),
  EMAIL_NOT_VERIFIED: () =>
    new Refusal("email_not_verified", "Verify your e-mail address first. We can send you another link."),
  INVALID_EMAIL: () =>
    invalidInput([{ field: "email", code: "malformed", message: "must be an e-mail address" }]),
  UNAUTHORIZED: () => notSignedIn(),
  INVALID_CODE: () => wrongCode(),
  INVALID_BACKUP_CODE: () => wrongCode(),
  INVALID_TWO_FACTOR_COOKIE: () => signInAgain(),
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: () => signInAgain(),
  TOTP_NOT_ENABLED: () => factorNotPossible("off"),
  BACKUP_CODES_NOT_ENABLED: () => factorNotPossible("off"),
  INVALID_TOKEN: invalidToken,
  TOKEN_EXPIRED: invalidToken,
  USER_NOT_FOUND: invalidToken,
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: () =>
    new Refusal("already_member", "They are already a member of this organization."),
  USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION: () =>
    new Refusal("invite_pending", "They have a pending invitation already."),
  INVITATION_NOT_FOUND: notFound,
  YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION: notFound,
  INVITER_IS_NO_LONGER_A_MEMBER_OF_THE_ORGANIZATION: notFound,
  ORGANIZATION_NOT_FOUND: notFound,
  MEMBER_NOT_FOUND: notFound,
};

export const notSignedIn = () => new Refusal("not_signed_in", "Sign in first.");

export const wrongCode = () =>
  new Refusal("invalid_credentials", "The code is wrong, has expired, or was used before.");

/** The step between the password and the code lasts ten minutes. */
export const signInAgain = () => new Refusal("not_signed_in", "Sign in with your password again.");

const FACTOR_STATES = {
  on: "The second factor is on already. Switch it off first to set up another one.",
  off: "The second factor is off. Set it up first.",
  provider: "You are signed in by a provider. The second factor here belongs to a password.",
};

export const factorNotPossible = (state: keyof typeof FACTOR_STATES) =>
  new Refusal("two_factor_unavailable", FACTOR_STATES[state]);

/** The library's error as this server's. An unknown code becomes a general one by its status. */
export function faultOf(status: number, code: string): Refusal {
  const known = Object.hasOwn(REFUSALS, code) ? REFUSALS[code] : undefined;
  if (known) return known();
  if (status === 403) return new Refusal("insufficient_role", "You are not allowed to do this.");
  if (status < 500 && code !== "FAILED_TO_CREATE_USER")
    return invalidInput([{ field: "", code: "malformed", message: "cannot be used" }]);
  return new Refusal("service_unavailable", "The accounts cannot be reached. Try again in a moment.", {
    retryAfterSeconds: 1,
    cause: new Error(code),
  });
}
