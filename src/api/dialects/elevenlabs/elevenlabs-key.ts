/** Where ElevenLabs' clients put their key. */
import { bearer } from "../../middleware/caller.ts";

export const KEY_HEADER = "xi-api-key";

export const elevenLabsSecret = (headers: Headers): string =>
  headers.get(KEY_HEADER)?.trim() || bearer(headers);

/** Pages cannot send headers with a socket: they put a token that is used once into the address. */
export function tokenIn(url: string): string | null {
  const query = new URL(url).searchParams;
  return query.get("single_use_token") || query.get("token") || null;
}

export function socketSecret({ headers, url }: Request): string {
  const token = tokenIn(url);
  return token !== null && !headers.has(KEY_HEADER) ? token : elevenLabsSecret(headers);
}
