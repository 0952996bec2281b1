/** Promise: signing in continues to the requested page, and never to another host. */
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
  ])("continues to %p", (requested) => {
    expect(nextOf(requested, ORIGIN)).toBe(ORIGIN + requested);
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
  ])("continues to the first page instead of %p", (requested) => {
    expect(nextOf(requested, ORIGIN)).toBe(`${ORIGIN}/`);
  });

  test("a path that normalizes to two slashes stays on this host", () => {
    expect(new URL(nextOf("/.//elsewhere.example/", ORIGIN)).origin).toBe(ORIGIN);
  });

  test("continues below the path of the server", () => {
    expect(nextOf("/account", ORIGIN, "/speech")).toBe(`${ORIGIN}/speech/account`);
    expect(nextOf("//elsewhere.example/", ORIGIN, "/speech")).toBe(`${ORIGIN}/speech/`);
    expect(new URL(nextOf("/.//elsewhere.example/", ORIGIN, "/speech")).origin).toBe(ORIGIN);
  });

  test("no text leads to another host", () => {
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

  test("the requested page is passed on between the sign-in pages", () => {
    const url = new URL(hrefWithNext("/sign-in", "/orgs/org_1/keys?status=active&cursor=a"), ORIGIN);
    expect(url.pathname).toBe("/sign-in");
    expect(url.searchParams.get("next")).toBe("/orgs/org_1/keys?status=active&cursor=a");
    expect(hrefWithNext("/sign-in", null)).toBe("/sign-in");
  });
});

test("a verification token contains its address, and a malformed one contains none", () => {
  const token = signProof({ email: "zoë@example.com", userId: "user_1" }, "secret", 0);
  expect(emailInToken(token)).toBe("zoë@example.com");
  for (const other of ["", "x", "a.b.c", `a.${btoa("null")}.c`, `a.${btoa("[7]")}.c`])
    expect(emailInToken(other)).toBeNull();
});
