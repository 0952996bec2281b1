/**
 * A self-signed certificate for a server (X.509 v3, RFC 5280): EC P-256, ECDSA with SHA-256, for names and addresses.
 *
 *   certificate = { tbs, algorithm, signature of tbs }
 *   tbs         = { version, serial, algorithm, issuer, validity, subject, key, extensions }
 *
 * It is not a certificate authority: those who trust it trust this server only.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";
import { bitString, der, identifier, integer, sequence, time } from "./der.ts";

type Subject = {
  commonName: string;
  /** Host names and IPv4 addresses. */
  names: readonly string[];
  from: Date;
  until: Date;
};

const ECDSA_SHA256 = "1.2.840.10045.4.3.2";
const COMMON_NAME = "2.5.4.3";
const EXTENSIONS = {
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  extendedKeyUsage: "2.5.29.37",
};
const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
const DIGITAL_SIGNATURE = 0x80; // the first of the bits, so seven are unused
const VERSION_3 = 2;
const COMMON_NAME_MAX = 64;

/** A private key, PEM. */
export const newPrivateKey = (): string =>
  generateKeyPairSync("ec", { namedCurve: "P-256" })
    .privateKey.export({ type: "pkcs8", format: "pem" })
    .toString();

/** PEM. */
export function selfSigned(privateKey: string, { commonName, names, from, until }: Subject): string {
  const key = createPrivateKey(privateKey);
  const algorithm = sequence(identifier(ECDSA_SHA256));
  const text = der("utf8", Buffer.from(commonName.slice(0, COMMON_NAME_MAX)));
  const name = sequence(der("set", sequence(identifier(COMMON_NAME), text)));
  const serial = randomBytes(16);
  serial[0]! &= 0x7f;
  const tbs = sequence(
    der(0xa0, integer(Buffer.of(VERSION_3))),
    integer(serial),
    algorithm,
    name,
    sequence(time(from), time(until)),
    name,
    createPublicKey(key).export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions(names))),
  );
  const certificate = sequence(tbs, algorithm, bitString(sign("sha256", tbs, key)));
  return pem(certificate);
}

function extensions(names: readonly string[]): Buffer[] {
  const { basicConstraints, keyUsage, extendedKeyUsage, subjectAltName } = EXTENSIONS;
  return [
    extension(basicConstraints, sequence(), true), // by default no authority
    extension(keyUsage, bitString(Buffer.of(DIGITAL_SIGNATURE), 7), true),
    extension(extendedKeyUsage, sequence(identifier(SERVER_AUTH)), false),
    extension(subjectAltName, sequence(...names.map(generalName)), false),
  ];
}

function extension(id: string, value: Buffer, isCritical: boolean): Buffer {
  const critical = isCritical ? [der("boolean", Buffer.of(0xff))] : [];
  return sequence(identifier(id), ...critical, der("octetString", value));
}

const generalName = (name: string) =>
  isIPv4(name) ? der(0x87, Buffer.from(name.split(".").map(Number))) : der(0x82, Buffer.from(name, "ascii"));

function pem(bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g)!;
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
