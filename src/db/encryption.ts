/**
 * Encrypts what rows keep, such as voices and mail, with a key for each purpose that is derived from the server's secret.
 *
 *   sealed   version 1 byte │ key id 4 │ nonce 12 │ AES-256-GCM ciphertext │ tag 16
 *
 * The place of a text is authenticated with it, so that it opens in its own row alone. The key id
 * tells which secret it was encrypted with: one that was generated before another was configured still opens it.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";

const VERSION = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES;
const CIPHER = "aes-256-gcm";

/** `configured` null: the generated one is used. */
export type EncryptionSecrets = { configured: string | null; generated(): Promise<string> };

/** Those of a server: `LOQUAT_SECRET`, where it is set, and what its database has generated. */
export const serverSecrets = (
  { secret }: { secret: (() => string) | null },
  accounts: { installationSecret(): Promise<string> },
): EncryptionSecrets => ({
  configured: secret?.() ?? null,
  generated: () => accounts.installationSecret(),
});

/** What is encrypted for one does not open for another. */
type Purpose = "loquat voices" | "loquat mail" | "loquat webhooks" | "loquat files" | "loquat jobs";

export type Encryption = {
  encrypt(place: string, text: Uint8Array): Promise<Buffer>;
  /** Null where it was encrypted with another secret, in another place, or changed since. */
  decrypt(place: string, sealed: Buffer): Promise<Buffer | null>;
};

type Key = { id: Buffer; key: Buffer };

export function openEncryption(purpose: Purpose, { configured, generated }: EncryptionSecrets): Encryption {
  const keyOf = (secret: string) => keyFrom(secret, purpose);
  let made: Promise<Key> | null = null;
  const ownKey = configured === null ? null : keyOf(configured);
  const ofServer = () => {
    made ??= generated().then(keyOf);
    made.catch(() => {
      made = null; // the database may answer later
    });
    return made;
  };
  return {
    async encrypt(place, text) {
      const { id, key } = ownKey ?? (await ofServer());
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(place));
      const body = Buffer.concat([cipher.update(text), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), id, nonce, body, cipher.getAuthTag()]);
    },
    async decrypt(place, sealed) {
      if (sealed[0] !== VERSION || sealed.length < HEAD_BYTES + TAG_BYTES) return null;
      const id = sealed.subarray(1, 1 + KEY_ID_BYTES);
      if (ownKey?.id.equals(id)) return opened(ownKey, place, sealed);
      const other = await ofServer();
      return other.id.equals(id) ? opened(other, place, sealed) : null;
    },
  };
}

function keyFrom(secret: string, purpose: Purpose): Key {
  const derived = (info: string, sizeBytes: number) =>
    Buffer.from(hkdfSync("sha256", secret, "", info, sizeBytes));
  const key = derived(purpose, 32);
  return { key, id: createHash("sha256").update("id").update(key).digest().subarray(0, KEY_ID_BYTES) };
}

function opened({ key }: Key, place: string, sealed: Buffer): Buffer | null {
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(1 + KEY_ID_BYTES, HEAD_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}
