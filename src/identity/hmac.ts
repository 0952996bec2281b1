/** HMAC signatures for CSRF tokens and cursors, keyed with the installation's secret. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Accounts } from "../accounts/accounts.ts";
import type { Config } from "../config/config.ts";

/** A signature for one purpose is invalid for any other. */
type Purpose = "csrf" | "cursor" | "alerts";

export type Signatures = {
  sign(purpose: Purpose, text: string): Promise<string>;
  /** Whether `given` is the signature of that text. */
  verify(purpose: Purpose, text: string, signature: string): Promise<boolean>;
};

type SignaturesDeps = {
  config: Pick<Config, "identity">;
  accounts: Pick<Accounts, "installationSecret">;
};

export function openSignatures({ config, accounts }: SignaturesDeps): Signatures {
  let secret = config.identity.secret?.() ?? null;
  async function sign(purpose: Purpose, text: string): Promise<string> {
    secret ??= await accounts.installationSecret();
    return createHmac("sha256", secret).update(`${purpose}:${text}`).digest("base64url");
  }
  return {
    sign,
    async verify(purpose, text, signature) {
      const [ours, theirs] = [Buffer.from(await sign(purpose, text)), Buffer.from(signature)];
      return ours.length === theirs.length && timingSafeEqual(ours, theirs);
    },
  };
}
