/** Promise: advice names a command that runs where it is read. */
import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { asTyped } from "../../src/cli/base/as-typed.ts";

const folder = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
const linked = { isOnPath: () => true };
const unlinked = { isOnPath: () => false };

test.each([
  ["Install with: loquat models pull recommended", "Install with: ./loquat models pull recommended"],
  ['See "loquat alias list" and `loquat doctor`.', 'See "./loquat alias list" and `./loquat doctor`.'],
  ["loquat keys list", "./loquat keys list"],
  ["./loquat keys list, npx loquat", "./loquat keys list, npx loquat"],
  ["The loquat. /opt/loquat serve", "The loquat. /opt/loquat serve"],
])("in a checkout without npm link: %s", (text, typed) => {
  expect(asTyped(text, { folder, ...unlinked })).toBe(typed);
  expect(asTyped(text, { folder, ...linked })).toBe(text);
  expect(asTyped(text, { folder: "/", ...unlinked })).toBe(text);
});

test("an executable is called by the name of its file", () => {
  const text = "More voices: loquat models pull recommended";
  const executable = { isExecutable: true, program: "/opt/speech/loquat-linux-x64" };
  const said = (place: Parameters<typeof asTyped>[1]) => asTyped(text, { ...executable, ...place });
  expect(said({ folder: "/opt/speech", ...unlinked })).toBe(
    "More voices: ./loquat-linux-x64 models pull recommended",
  );
  expect(said({ folder: "/", ...unlinked })).toBe(
    "More voices: /opt/speech/loquat-linux-x64 models pull recommended",
  );
  expect(said({ folder: "/", program: "/my files/loquat-macos", ...unlinked })).toBe(
    "More voices: '/my files/loquat-macos' models pull recommended",
  );
  expect(said({ folder: "/opt/speech", ...linked })).toBe(text);
});
