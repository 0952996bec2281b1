/** The address in a verification token, for display only: the server verifies the signature. */

/** Null for a malformed token. */
export function emailInToken(token: string): string | null {
  try {
    const payload = token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    const { email }: { email?: unknown } = JSON.parse(new TextDecoder().decode(bytes));
    return typeof email === "string" ? email : null;
  } catch {
    return null;
  }
}
