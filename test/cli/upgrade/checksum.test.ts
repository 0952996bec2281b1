/** Promise: the hash of a new executable is the one that its list has for its name, and comes over an encrypted connection. */
import { expect, test } from "bun:test";
import { expectedHash, hashIn } from "../../../src/cli/upgrade/upgrade-executable.ts";
import { openHub } from "../../../src/models/pull/hub.ts";

const [A, B] = ["a".repeat(64), "b".repeat(64)];
const LIST = `${A}  loquat-linux-x64\n${B} *loquat-windows-x64.exe\n${B}  other/loquat-linux-x64\n`;

test.each([
  ["loquat-linux-x64", A],
  ["loquat-windows-x64.exe", B],
  ["loquat", null],
  ["", null],
])("the list has for %p: %p", (name, hash) => {
  expect(hashIn(LIST, name)).toBe(hash);
});

/** Serves the list, and remembers what was asked for. */
function hubOf(asked: string[]) {
  const fetch = async (url: string) => {
    asked.push(url);
    return new Response(LIST);
  };
  return { ...openHub(null), fetch };
}

test("the list lies beside the file at an address", async () => {
  const asked: string[] = [];
  const from = "https://downloads.example/v2/loquat-linux-x64?token=1";
  expect(await expectedHash(from, null, hubOf(asked))).toBe(A);
  expect(asked).toEqual(["https://downloads.example/v2/SHA256SUMS"]);
});

test("the operator's hash needs no list", async () => {
  const asked: string[] = [];
  expect(await expectedHash("http://downloads.example/loquat", B, hubOf(asked))).toBe(B);
  expect(asked).toEqual([]);
});

test("a list that is not encrypted is not asked for", async () => {
  const asked: string[] = [];
  await expect(expectedHash("http://downloads.example/loquat", null, hubOf(asked))).rejects.toThrow(
    "--sha256",
  );
  expect(asked).toEqual([]);
});
