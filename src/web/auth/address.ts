/** Which address a mailed link is for, as it says itself: to be shown. What it proves the server decides. */

/** Null where the link says none. */
export function addressIn(token: string): string | null {
  try {
    const payload = token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    const { email }: { email?: unknown } = JSON.parse(new TextDecoder().decode(bytes));
    return typeof email === "string" ? email : null;
  } catch {
    return null;
  }
}
