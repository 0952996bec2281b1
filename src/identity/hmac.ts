/** What this server can tell that it wrote itself: an HMAC of a text with the secret of the installation. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Accounts } from "../accounts/accounts.ts";
import type { Config } from "../config.ts";

/** What is sealed for one use is of no use for another. */
type Purpose = "csrf" | "cursor";

export type Signatures = {
  sign(purpose: Purpose, text: string): Promise<string>;
  /** Is `given` the seal of that text? */
  verify(purpose: Purpose, text: string, given: string): Promise<boolean>;
};

export function openSignatures({ config, accounts }: { config: Config; accounts: Accounts }): Signatures {
  let secret = config.identity.secret?.() ?? null;
  async function sign(purpose: Purpose, text: string): Promise<string> {
    secret ??= await accounts.installationSecret();
    return createHmac("sha256", secret).update(`${purpose}:${text}`).digest("base64url");
  }
  return {
    sign,
    async verify(purpose, text, given) {
      const [ours, theirs] = [Buffer.from(await sign(purpose, text)), Buffer.from(given)];
      return ours.length === theirs.length && timingSafeEqual(ours, theirs);
    },
  };
}
