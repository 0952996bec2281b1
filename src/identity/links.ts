/**
 * The token of a mailed verification link: a JSON Web Token (HS256), in the library's format. It is checked here first,
 * because the library would also accept tokens that change an address, which are never mailed.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

const HEADER = { alg: "HS256" };
export const LINK_SECONDS = 86_400;

/** The address it verifies; older tokens name no user. */
export type Proof = { email: string; userId: string | null };

export function signProof(
  { email, userId }: Proof & { userId: string },
  secret: string,
  nowSeconds: number,
): string {
  const payload = { email, userId, iat: nowSeconds, exp: nowSeconds + LINK_SECONDS };
  const signed = [HEADER, payload].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  return [...signed, signatureOf(signed.join("."), secret)].join(".");
}

/** Null for anything but a valid, unexpired token of this server. */
export function readProof(token: string, secret: string, nowSeconds: number): Proof | null {
  const [header = "", payload = "", signature = "", ...more] = token.split(".");
  if (more.length > 0 || !isSame(signature, signatureOf(`${header}.${payload}`, secret))) return null;
  if (claimsOf(header)?.alg !== HEADER.alg) return null;
  const { email, userId, exp, updateTo, requestType } = claimsOf(payload) ?? {};
  if (updateTo !== undefined || requestType !== undefined) return null;
  if (typeof email !== "string" || typeof exp !== "number" || exp <= nowSeconds) return null;
  return { email, userId: typeof userId === "string" ? userId : null };
}

const signatureOf = (text: string, secret: string): string =>
  createHmac("sha256", secret).update(text).digest("base64url");

function isSame(signature: string, expected: string): boolean {
  const [one, other] = [Buffer.from(signature), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The claims of a part whose signature has been verified. */
function claimsOf(part: string): Record<string, unknown> | null {
  try {
    const claims: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof claims === "object" ? (claims as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}
