/** Promise: what the C library offers is used where there is one, and nothing fails where there is none. */

import { CString, dlopen, FFIType, ptr } from "bun:ffi";
import { expect, test } from "bun:test";
import { setNativeEnvironment } from "../../src/natives/libc.ts";

const unlessLinux = process.platform === "linux" ? "" : " (skipped: not Linux)";

test("a system without a known C library is no error", () => {
  expect(setNativeEnvironment("LOQUAT_TEST", "1", [])).toBe(false);
  expect(setNativeEnvironment("LOQUAT_TEST", "1", ["libnowhere.so.6"])).toBe(false);
});

test.skipIf(unlessLinux !== "")(`native code sees a variable that was set${unlessLinux}`, () => {
  expect(setNativeEnvironment("LOQUAT_TEST", "seen")).toBe(true);
  const { symbols } = dlopen("libc.so.6", { getenv: { args: [FFIType.ptr], returns: FFIType.ptr } });
  expect(String(new CString(symbols.getenv(ptr(Buffer.from("LOQUAT_TEST\0")))!))).toBe("seen");
});
