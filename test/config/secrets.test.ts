/** Promise: every secret can be read from a file, and no message contains one. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Config, ConfigError, readConfig, SECRETS } from "../../src/config/config.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "loquat-secrets-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const RANDOM = "k".repeat(40);
const STRIPE = { STRIPE_SECRET_KEY: "sk_other", STRIPE_WEBHOOK_SECRET: "whsec_other" };

const BUCKET = { LOQUAT_FILES: "s3://loquat/files" };
const ofBucket =
  (name: "keyId" | "secret" | "sessionToken") =>
  ({ files: { place } }: Config) =>
    "bucket" in place ? place[name]?.() : null;

/** A value of each secret, what else must be set with it, and where the configuration has it. */
const EXAMPLES: Record<(typeof SECRETS)[number], [string, object, (config: Config) => unknown]> = {
  AWS_ACCESS_KEY_ID: ["hidden", { ...BUCKET, AWS_SECRET_ACCESS_KEY: "other" }, ofBucket("keyId")],
  AWS_SECRET_ACCESS_KEY: ["hidden", { ...BUCKET, AWS_ACCESS_KEY_ID: "other" }, ofBucket("secret")],
  AWS_SESSION_TOKEN: [
    "hidden",
    { ...BUCKET, AWS_ACCESS_KEY_ID: "other", AWS_SECRET_ACCESS_KEY: "other" },
    ofBucket("sessionToken"),
  ],
  DATABASE_URL: ["postgres://loquat:hidden@db/loquat", {}, ({ data }) => data.url],
  LOQUAT_OUTBOUND_PROXY: ["http://user:word@proxy:3128", {}, ({ outbound }) => outbound.proxy?.()],
  REDIS_URL: ["redis://:hidden@cache", {}, ({ data }) => data.limitsUrl],
  LOQUAT_ENGINE_SECRET: [RANDOM, {}, ({ fleet }) => fleet.secret?.()],
  LOQUAT_KEY: ["sk_live_hidden", {}, ({ client }) => client.key?.()],
  LOQUAT_LLM_KEY: ["sk-hidden", { LOQUAT_LLM_URL: "http://llm" }, (config) => config.languageModel?.key?.()],
  LOQUAT_METRICS_TOKEN: [RANDOM, {}, ({ metrics }) => metrics.token?.()],
  LOQUAT_OIDC_CLIENT_SECRET: [
    "hidden",
    { LOQUAT_OIDC_ISSUER: "https://id.example", LOQUAT_OIDC_CLIENT_ID: "loquat" },
    ({ identity }) => identity.providers[0]?.clientSecret?.(),
  ],
  LOQUAT_SECRET: [RANDOM, {}, ({ identity }) => identity.secret?.()],
  SMTP_URL: ["smtp://loquat:hidden@mail", {}, ({ identity }) => identity.smtp?.()],
  STRIPE_SECRET_KEY: ["sk_hidden", { STRIPE_WEBHOOK_SECRET: "whsec_other" }, ({ stripe }) => stripe?.key()],
  STRIPE_WEBHOOK_SECRET: [
    "whsec_hidden",
    { STRIPE_SECRET_KEY: "sk_other" },
    ({ stripe }) => stripe?.webhookSecret(),
  ],
};

function fileWith(content: string): string {
  const path = join(folder, "secret");
  writeFileSync(path, content);
  return path;
}

function messageOf(environment: Record<string, string>): string {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
  }
  throw new Error("the configuration was accepted");
}

test.each(SECRETS)("%s_FILE names a file with the value, without its last line break", (name) => {
  const [value, others, read] = EXAMPLES[name];
  for (const end of ["", "\n", "\r\n"])
    expect(read(readConfig({ ...others, [`${name}_FILE`]: fileWith(value + end) }))).toBe(value);
});

test.each(SECRETS)("%s and its file together are rejected", (name) => {
  const [value] = EXAMPLES[name];
  const message = messageOf({ ...STRIPE, [name]: value, [`${name}_FILE`]: fileWith(value) });
  expect(message).toBe(`Set ${name} or ${name}_FILE, not both.`);
});

test("a file that cannot be read, or is empty, is rejected by the variable's name and its path", () => {
  const missing = join(folder, "missing");
  expect(messageOf({ LOQUAT_SECRET_FILE: missing })).toMatch(
    /^LOQUAT_SECRET_FILE: \S+missing cannot be read: ENOENT/,
  );
  expect(messageOf({ DATABASE_URL_FILE: folder })).toMatch(/^DATABASE_URL_FILE: \S+ cannot be read: EISDIR/);
  expect(messageOf({ SMTP_URL_FILE: fileWith("\n") })).toMatch(/^SMTP_URL_FILE: \S+ is empty\.$/);
  expect(messageOf({ REDIS_URL_FILE: "" })).toBe("REDIS_URL_FILE is empty. Unset it, or name a file.");
});

test("a wrong value in a file is rejected without being shown", () => {
  const path = fileWith("hidden");
  for (const name of ["DATABASE_URL", "REDIS_URL", "SMTP_URL", "LOQUAT_SECRET", "LOQUAT_METRICS_TOKEN"]) {
    const message = messageOf({ [`${name}_FILE`]: path });
    expect(message).toStartWith(name);
    expect(message).not.toContain("hidden");
  }
});
