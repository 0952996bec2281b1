/** The tokens of mailed links by which an address answers whether it gets mail of alerts: signed, with nothing secret in them. */
import type { RecipientRow } from "../db/queries/recipient-rows.ts";

/** How long the link of a mail that asks is valid. */
export const ASKING_SECONDS = 7 * 86_400;

export type TokenSignatures = {
  sign(text: string): Promise<string>;
  verify(text: string, signature: string): Promise<boolean>;
};

/** `until`: Unix seconds; null in mails of alerts, whose link always works. */
type Claims = Pick<RecipientRow, "id" | "email" | "nonce"> & { until: number | null };

export type RecipientTokens = {
  of(row: RecipientRow, until: number | null): Promise<string>;
  /** Null for anything but a token of this server. */
  read(token: string): Promise<Claims | null>;
};

const KIND = "alerts";

export function openRecipientTokens({ sign, verify }: TokenSignatures): RecipientTokens {
  return {
    async of({ id, email, nonce }, until) {
      const claims: Claims = { id, email, nonce, until };
      const signed = `${KIND}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
      return `${signed}.${await sign(signed)}`;
    },
    async read(token) {
      const [kind, claims = "", signature = "", ...more] = token.split(".");
      if (kind !== KIND || more.length > 0 || !(await verify(`${kind}.${claims}`, signature))) return null;
      return JSON.parse(Buffer.from(claims, "base64url").toString()) as Claims;
    },
  };
}
