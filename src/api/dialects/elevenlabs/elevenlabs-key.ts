/** Where ElevenLabs' clients put their key. */
import { bearer } from "../../middleware/authentication.ts";

export const KEY_HEADER = "xi-api-key";

export const elevenLabsSecret = (headers: Headers): string =>
  headers.get(KEY_HEADER)?.trim() || bearer(headers);

/** Pages cannot send headers with a socket: they put a client secret into the address. */
export function socketSecret({ headers, url }: Request): string {
  const token = new URL(url).searchParams.get("token");
  return token && !headers.has(KEY_HEADER) ? token : elevenLabsSecret(headers);
}
