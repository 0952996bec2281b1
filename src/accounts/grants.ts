/**
 * Grants: client secrets that stand for a key in requests for a short time, with some of its scopes. They are stored as other
 * client secrets are, and open no realtime sessions with settings of their own.
 */
import { Refusal } from "../errors.ts";
import { isScope, type Scope } from "../scopes.ts";
import type { ClientSecrets } from "./client-secrets.ts";
import type { Principal } from "./principal.ts";

type Grant = { type: "grant"; scopes: readonly Scope[] };

/** What is stored with the secret. */
export const grantOf = (scopes: readonly Scope[]): Grant => ({ type: "grant", scopes });

export const isGrant = (session: object): session is Grant =>
  (session as Partial<Grant>).type === "grant" && Array.isArray((session as Partial<Grant>).scopes);

/** The principal of the key, with the scopes that both have. Fails as authentication does. */
export async function redeemGrant(
  secrets: Pick<ClientSecrets, "redeemClientSecret">,
  secret: string,
): Promise<Principal> {
  const { principal, session } = await secrets.redeemClientSecret(secret);
  if (!isGrant(session))
    throw new Refusal("invalid_api_key", "This client secret opens realtime sessions, and nothing else.");
  const scopes = session.scopes.filter((scope) => isScope(scope) && principal.scopes.has(scope));
  return { ...principal, scopes: new Set(scopes) };
}

export const noSession = () =>
  new Refusal("invalid_api_key", "This token is for the API that granted it, and opens no realtime session.");
