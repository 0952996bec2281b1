/**
 * Grants: client secrets that stand for a key in requests for a short time, with some of its scopes. They are stored as other
 * client secrets are, and open no realtime sessions with settings of their own.
 */
import { Refusal } from "../errors.ts";
import { isScope, type Scope } from "../scopes.ts";
import { invalid } from "./authenticate.ts";
import type { ClientSecrets } from "./client-secrets.ts";
import type { Principal } from "./principal.ts";

/** `once`: the first use ends it. */
type Grant = { type: "grant"; scopes: readonly Scope[]; once: boolean };

/** What is stored with the secret. */
export const grantOf = (scopes: readonly Scope[], { once = false } = {}): Grant => ({
  type: "grant",
  scopes,
  once,
});

export const isGrant = (session: object): session is Grant =>
  (session as Partial<Grant>).type === "grant" && Array.isArray((session as Partial<Grant>).scopes);

/** The principal of the key, with the scopes that both have. Fails as authentication does. */
export async function redeemGrant(
  secrets: Pick<ClientSecrets, "redeemClientSecret" | "endClientSecret">,
  secret: string,
): Promise<Principal> {
  const { principal, session } = await secrets.redeemClientSecret(secret);
  if (!isGrant(session))
    throw new Refusal("invalid_api_key", "This client secret opens realtime sessions, and nothing else.");
  if (session.once && !(await secrets.endClientSecret(secret))) throw invalid(); // another use was first
  const scopes = session.scopes.filter((scope) => isScope(scope) && principal.scopes.has(scope));
  return { ...principal, scopes: new Set(scopes) };
}

export const noSession = () =>
  new Refusal("invalid_api_key", "This token is for the API that granted it, and opens no realtime session.");
