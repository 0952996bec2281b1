/** Promise: e-mail addresses are recognized in linear time. */
import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { isEmail } from "../../../src/identity/routes/email.ts";

test.each(["a@b.c", "ann.o'neil+x@mail.example.com", "ü@exämple.de", "a@..c"])(
  "%p is an e-mail address",
  (text) => {
    expect(isEmail(text)).toBe(true);
  },
);

test.each([
  ...[
    "",
    "a",
    "@b.c",
    "a@b",
    "a@.c",
    "a@b.",
    "a@b@c.d",
    "a b@c.d",
    "a@b.c\n",
    "a@b.c,d@e.f",
    '"a"@b.c',
    "<a@b.c>",
  ],
  ...["a\0@b.c", "a\u0085@b.c", "a\ud800@b.c", `${"a".repeat(250)}@b.cd`],
])("%p is not an e-mail address", (text) => {
  expect(isEmail(text)).toBe(false);
});

test("short texts are judged as by the plain pattern", () => {
  const pattern = /^[^\s@,;<>"]+@[^\s@,;<>"]+\.[^\s@,;<>"]+$/;
  const text = fc
    .array(fc.constantFrom("a", "@", ".", " ", ",", "b"), { maxLength: 12 })
    .map((all) => all.join(""));
  void fc.assert(
    fc.property(text, (each) => isEmail(each) === pattern.test(each)),
    { seed: 13, numRuns: 5000 },
  );
});
