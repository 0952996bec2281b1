/** Promise: the server's own certificate is one that OpenSSL and clients accept, and is renewed in time. */
import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newPrivateKey, selfSigned } from "../../src/tls/certificate.ts";
import { identifier, integer, time } from "../../src/tls/der.ts";
import { ownCertificate } from "../../src/tls/own-certificate.ts";

const folder = mkdtempSync(join(tmpdir(), "loquat-tls-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NAMES = ["box.local", "192.168.1.5"];
const DAY_MS = 86_400_000;

describe("DER", () => {
  test.each([
    [integer(Buffer.of(0, 0, 5)), "020105"],
    [integer(Buffer.of(0x80)), "02020080"],
    [integer(Buffer.of(0, 0)), "020100"],
    [identifier("1.2.840.10045.4.3.2"), "06082a8648ce3d040302"],
    [identifier("2.5.29.17"), "0603551d11"],
    [time(new Date("2026-11-22T14:05:09.123Z")), `170d${Buffer.from("261122140509Z").toString("hex")}`],
    [time(new Date("2050-01-01T00:00:00Z")), `180f${Buffer.from("20500101000000Z").toString("hex")}`],
  ])("%# is encoded canonically", (encoded, hex) => {
    expect(encoded.toString("hex")).toBe(hex);
  });
});

const openssl = Bun.which("openssl");
test.skipIf(openssl === null)("OpenSSL reads and verifies a certificate", async () => {
  const [from, until] = [new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS)];
  const subject = { commonName: "Loquat on box.local", names: NAMES, from, until };
  const path = join(folder, "certificate.pem");
  writeFileSync(path, selfSigned(newPrivateKey(), subject));
  const run = async (...args: string[]) => {
    const child = Bun.spawn([openssl!, ...args], { stderr: "pipe" });
    return { text: (await child.stdout.text()) + (await child.stderr.text()), code: await child.exited };
  };
  const { text } = await run("x509", "-in", path, "-noout", "-text");
  for (const part of [
    "Version: 3 (0x2)",
    "ecdsa-with-SHA256",
    "NIST CURVE: P-256",
    "Subject: CN = Loquat on box.local",
    "DNS:box.local, IP Address:192.168.1.5",
    "CA:FALSE",
    "TLS Web Server Authentication",
  ])
    expect(text.replaceAll("CN=", "CN = ")).toContain(part);
  expect(text).toMatch(/X509v3 Key Usage: critical\s+Digital Signature\n/);
  for (const check of [
    ["-verify_hostname", "box.local"],
    ["-verify_ip", "192.168.1.5"],
  ])
    expect(
      await run("verify", "-x509_strict", "-purpose", "sslserver", ...check, "-CAfile", path, path),
    ).toMatchObject({ code: 0 });
  expect((await run("verify", "-verify_ip", "192.168.1.6", "-CAfile", path, path)).code).not.toBe(0);
});

describe("the server's own certificate", () => {
  let data: string;
  beforeEach(() => {
    data = mkdtempSync(join(folder, "data-"));
  });
  const at = (now: number) => ({ now: () => now });
  const now = Date.parse("2026-11-22T00:00:00Z");
  const made = (names = NAMES, when = now) =>
    readFileSync(ownCertificate(data, names, at(when)).cert, "utf8");

  test("stays while it is valid for these names", () => {
    const { key } = ownCertificate(data, NAMES, at(now));
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(made(NAMES, now + 300 * DAY_MS)).toBe(made());
  });

  test.each([
    ["60 days before it ends", NAMES, now + 338 * DAY_MS],
    ["with another address", ["box.local", "192.168.1.6"], now],
    ["with one name less", ["box.local"], now],
  ])("is renewed %s, with the same key", (_what, names, when) => {
    const old = new X509Certificate(made());
    const renewed = new X509Certificate(made(names, when));
    expect(renewed.serialNumber).not.toBe(old.serialNumber);
    expect(renewed.publicKey.equals(old.publicKey)).toBe(true);
    expect(Date.parse(renewed.validTo)).toBe(when + 397 * DAY_MS);
  });

  test.each(["certificate.pem", "key.pem"])("is made again where %s belongs to another", (name) => {
    made();
    const other = name === "key.pem" ? newPrivateKey() : "damaged";
    writeFileSync(join(data, "tls", name), other);
    const { cert } = ownCertificate(data, NAMES, at(now));
    expect(new X509Certificate(readFileSync(cert)).checkHost("box.local")).toBe("box.local");
  });
});
