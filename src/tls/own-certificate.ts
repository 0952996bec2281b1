/**
 * The server's own certificate in the data directory: made on first use, and again where it ends soon or the machine has
 * other addresses. The key stays the same.
 *
 *   tls/key.pem (0600)   tls/certificate.pem
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../clock.ts";
import type { TlsFiles } from "../config/config.ts";
import { OperatorError } from "../errors.ts";
import { replaceFile } from "../natives/replace-file.ts";
import { newPrivateKey, selfSigned } from "./certificate.ts";

const DAY_MS = 86_400_000;
const VALID_DAYS = 397; // the most that every browser accepts
const RENEW_DAYS = 60;
const SECRET = 0o600; // the mode of both files

export const ownFiles = (folder: string): TlsFiles => ({
  cert: join(folder, "tls", "certificate.pem"),
  key: join(folder, "tls", "key.pem"),
});

/** `names`: host names and IP addresses, the first one for people. */
export function ownCertificate(folder: string, names: readonly string[], clock: Clock): TlsFiles {
  const files = ownFiles(folder);
  mkdirSync(join(folder, "tls"), { recursive: true, mode: 0o700 });
  if (!existsSync(files.key)) replaceFile(files.key, newPrivateKey(), SECRET);
  const now = clock.now();
  const key = readFileSync(files.key, "utf8");
  if (isValid(files, names, now)) return files;
  requireKey(files.key, key);
  const from = new Date(now - DAY_MS); // for clocks that are behind
  const until = new Date(now + VALID_DAYS * DAY_MS);
  const certificate = selfSigned(key, { commonName: `Loquat on ${names[0]}`, names, from, until });
  replaceFile(files.cert, certificate, SECRET);
  return files;
}

function requireKey(path: string, key: string): void {
  try {
    createPrivateKey(key);
  } catch (cause) {
    throw new OperatorError(
      `${path} is damaged. Restore it from a backup, or delete it: then another is made, which clients must trust again.`,
      { cause },
    );
  }
}

function isValid({ cert, key }: TlsFiles, names: readonly string[], now: number): boolean {
  try {
    const certificate = new X509Certificate(readFileSync(cert));
    if (!certificate.checkPrivateKey(createPrivateKey(readFileSync(key)))) return false;
    const { validTo, subjectAltName = "" } = certificate;
    const known = subjectAltName.split(", ").map((name) => name.slice(name.indexOf(":") + 1));
    const isLasting = Date.parse(validTo) - now > RENEW_DAYS * DAY_MS;
    return isLasting && names.every((name) => known.includes(name)) && known.length === names.length;
  } catch {
    return false; // there is none, or it is damaged
  }
}
