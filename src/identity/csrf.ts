/**
 * Changes by signed-in users, of both kinds of routes: one comes from this site, and has the token of its sign-in session,
 * which pages of other sites cannot read.
 */
import type { Session } from "../accounts/principal.ts";
import { Refusal } from "../errors.ts";
import type { Signatures } from "./hmac.ts";
import { refuseForeign } from "./same-origin.ts";

type CsrfDeps = { signatures: Signatures; origin: () => string };

/** Refuses a change that its user may not have meant. */
export type ChangeCheck = (request: Request, session: Session) => Promise<void>;

export function openChangeCheck({ signatures, origin }: CsrfDeps): ChangeCheck {
  return async (request, session) => {
    refuseForeign(request, origin());
    const token = request.headers.get("x-csrf-token") ?? "";
    if (!(await signatures.verify("csrf", session.id, token)))
      throw new Refusal("csrf_failed", "Send the csrf_token of GET /api/session as X-CSRF-Token.");
  };
}
