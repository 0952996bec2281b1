/** Promise: whoever signs in goes on where they were going, and never to another host. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { signProof } from "../../src/identity/links.ts";
import { hrefWithNext, nextOf } from "../../src/web/auth/next.ts";
import { emailInToken } from "../../src/web/auth/token-email.ts";

const ORIGIN = "https://loquat.example";

describe("after signing in", () => {
  test.each([
    "/orgs/org_1/keys?status=active",
    "/invitation?id=inv_1",
    "/playground?organization=org_1",
    "/account#sessions",
  ])("%p is gone on to", (asked) => {
    expect(nextOf(asked, ORIGIN)).toBe(ORIGIN + asked);
  });

  test.each([
    null,
    "",
    "account",
    "https://elsewhere.example/",
    "//elsewhere.example/",
    "/\\elsewhere.example/",
    "/\t/elsewhere.example/",
    "javascript:alert(1)",
    "/\n//[",
  ])("of %p nothing is left but the first page", (asked) => {
    expect(nextOf(asked, ORIGIN)).toBe(`${ORIGIN}/`);
  });

  test("a path that ends up with two slashes stays here", () => {
    expect(new URL(nextOf("/.//elsewhere.example/", ORIGIN)).origin).toBe(ORIGIN);
  });

  test("no text leads elsewhere", () => {
    const part = fc.constantFrom(
      "/",
      "\\",
      "//",
      ".",
      "..",
      ":",
      "@",
      "\t",
      "\n",
      "elsewhere.example",
      "?",
      "#",
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        expect(new URL(nextOf(`/${parts.join("")}`, ORIGIN)).origin).toBe(ORIGIN);
      }),
    );
  });

  test("the way on is handed from door to door", () => {
    const door = new URL(hrefWithNext("/sign-in", "/orgs/org_1/keys?status=active&cursor=a"), ORIGIN);
    expect(door.pathname).toBe("/sign-in");
    expect(door.searchParams.get("next")).toBe("/orgs/org_1/keys?status=active&cursor=a");
    expect(hrefWithNext("/sign-in", null)).toBe("/sign-in");
  });
});

test("a mailed link says whose address it is for, and one that is not whole says none", () => {
  const token = signProof({ email: "zoë@example.com", userId: "user_1" }, "secret", 0);
  expect(emailInToken(token)).toBe("zoë@example.com");
  for (const other of ["", "x", "a.b.c", `a.${btoa("null")}.c`, `a.${btoa("[7]")}.c`])
    expect(emailInToken(other)).toBeNull();
});
