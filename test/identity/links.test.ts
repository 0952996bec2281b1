/** Promise: a mailed link verifies its own address, and changes none. */
import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { readProof, signProof } from "../../src/identity/links.ts";

const SECRET = "a secret of thirty-two characters";
const NOW = 1_800_000_000;
const PROOF = { email: "ann@example.com", userId: "user_1" };

const partOf = (claims: unknown) => Buffer.from(JSON.stringify(claims)).toString("base64url");
const signed = (claims: unknown, header: unknown = { alg: "HS256" }) => {
  const text = `${partOf(header)}.${partOf(claims)}`;
  return `${text}.${createHmac("sha256", SECRET).update(text).digest("base64url")}`;
};

test("our link is valid for a day", () => {
  const token = signProof(PROOF, SECRET, NOW);
  expect(readProof(token, SECRET, NOW + 86_399)).toEqual(PROOF);
  expect(readProof(token, SECRET, NOW + 86_400)).toBeNull();
});

describe("a correctly signed token is refused", () => {
  const claims = { ...PROOF, exp: NOW + 60 };
  test.each([
    ["that changes an address", { ...claims, updateTo: "eve@example.com" }],
    ["that asks to change one", { ...claims, requestType: "change-email-verification" }],
    ["that changes it to nothing", { ...claims, updateTo: null }],
    ["without an end", { ...PROOF }],
    ["without an address", { exp: NOW + 60 }],
    ["that is no record", 7],
    ["that is nothing", null],
  ])("%s", (_what, payload) => {
    expect(readProof(signed(payload), SECRET, NOW)).toBeNull();
  });

  test("a link signed with another algorithm is refused", () => {
    expect(readProof(signed(claims), SECRET, NOW)).toEqual(PROOF);
    for (const alg of ["none", "HS512", undefined])
      expect(readProof(signed(claims, { alg }), SECRET, NOW)).toBeNull();
  });
});

test("a modified link, or one of another server, is refused", () => {
  const token = signProof(PROOF, SECRET, NOW);
  const others = [
    token.slice(0, -2),
    `${token}x`,
    `${token}.x`,
    "",
    "..",
    "x",
    signProof(PROOF, "another", NOW),
  ];
  for (const other of others) expect(readProof(other, SECRET, NOW)).toBeNull();
});
