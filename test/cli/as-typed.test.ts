/** Promise: advice names a command that runs where it is read. */
import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { asTyped } from "../../src/cli/base/as-typed.ts";

const checkout = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const linked = () => true;
const unlinked = () => false;

test.each([
  ["Install with: loquat models pull recommended", "Install with: ./loquat models pull recommended"],
  ['See "loquat alias list" and `loquat doctor`.', 'See "./loquat alias list" and `./loquat doctor`.'],
  ["loquat keys list", "./loquat keys list"],
  ["./loquat keys list, npx loquat", "./loquat keys list, npx loquat"],
  ["The loquat. /opt/loquat serve", "The loquat. /opt/loquat serve"],
])("in a checkout without npm link: %s", (text, typed) => {
  expect(asTyped(text, checkout, unlinked)).toBe(typed);
  expect(asTyped(text, checkout, linked)).toBe(text);
  expect(asTyped(text, "/", unlinked)).toBe(text);
});
