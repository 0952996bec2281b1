/** What the token of a mailed link says, for display only: the server verifies the signature. */

export function emailInToken(token: string): string | null {
  const { email } = claimsInToken(token) ?? {};
  return typeof email === "string" ? email : null;
}

/** Null for a malformed token. */
export function claimsInToken(token: string): Record<string, unknown> | null {
  try {
    const payload = token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === "object" ? (claims as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}
