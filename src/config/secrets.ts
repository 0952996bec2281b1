/**
 * Reads secrets: from their variable, or from the file that NAME_FILE names, as containers and systemd pass them. A message
 * never contains the value.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { addressIn, ConfigError, type Environment } from "./environment.ts";
import { redisAddress } from "./redis-address.ts";
import type { VariableWith } from "./variables.ts";

/** A function, so that printing a configuration does not print the value. */
export type Secret = () => string;

type SecretName = VariableWith<"secret">;

const LENGTH_MIN = 32;

export function secret(environment: Environment, name: SecretName): Secret | null {
  const value = textOf(environment, name);
  if (value === undefined) return null;
  if (value.trim() === "") throw new ConfigError(`${name} is empty. Unset it, or give it a value.`);
  return () => value;
}

/** For secrets that could be guessed, such as the one that signs what mails contain. */
export function strongSecret(environment: Environment, name: SecretName): Secret | null {
  const value = secret(environment, name);
  if (value === null || value().trim().length >= LENGTH_MIN) return value;
  throw new ConfigError(
    `${name} must be random and have at least ${LENGTH_MIN} characters. Create one with: openssl rand -base64 32.`,
  );
}

/** Takes the same time wherever the two differ. */
export function matchesSecret(text: string, expected: Secret): boolean {
  const digest = (value: string) => createHash("sha256").update(value).digest();
  return timingSafeEqual(digest(text), digest(expected()));
}

/** An address that may contain a password. */
export const secretAddress = (
  environment: Environment,
  name: SecretName & VariableWith<"schemes">,
): string | null => addressIn(textOf(environment, name), name);

/** Redis, or the sentinels of one. The message leaves the value out: it may contain a password. */
export function secretRedisAddress(environment: Environment, name: SecretName): string | null {
  const value = textOf(environment, name);
  if (value === undefined || redisAddress(value) !== null) return value ?? null;
  throw new ConfigError(
    `${name} must be a URL that starts with redis:// or rediss://, or the addresses of sentinels and the name of their primary: redis+sentinel://host:26379,host:26379/name.`,
  );
}

/** The content of a file without the line break at its end, which editors add. */
function textOf(environment: Environment, name: SecretName): string | undefined {
  const inFile = `${name}_FILE`;
  const path = environment[inFile];
  if (path === undefined) return environment[name];
  if (environment[name] !== undefined) throw new ConfigError(`Set ${name} or ${inFile}, not both.`);
  if (path.trim() === "") throw new ConfigError(`${inFile} is empty. Unset it, or name a file.`);
  const content = contentOf(path, inFile);
  if (content.trim() === "") throw new ConfigError(`${inFile}: ${path} is empty.`);
  return content.replace(/\r?\n$/, "");
}

/** Where a credential is: in a variable, or in a file. */
type CredentialReference = { env: string } | { file: string } | null;

/** The credential at this time; null without a reference. Throws a `ConfigError` where it cannot be read. */
export function credentialIn(environment: Environment, reference: CredentialReference): string | null {
  if (reference === null) return null;
  if ("file" in reference) return contentOf(reference.file, "The file of the credential").trim();
  const value = environment[reference.env]?.trim();
  if (value) return value;
  throw new ConfigError(`${reference.env} is not set: it holds the credential of an upstream.`);
}

function contentOf(path: string, name: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigError(`${name}: ${path} cannot be read: ${(error as Error).message}`);
  }
}
