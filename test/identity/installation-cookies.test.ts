/** Promise: servers on one host, whose cookies a browser sends to all its ports, leave each other's users signed in. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openAccountsHarness, PASSWORD, signUp } from "../api/management/people.ts";
import type { Harness } from "../harness.ts";

let one: Harness;
let other: Harness;
beforeAll(async () => {
  [one, other] = [await openAccountsHarness(), await openAccountsHarness()];
});
afterAll(async () => {
  await one[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

/** As a browser keeps them for a host: by name, whatever the port. */
function openJar() {
  const kept = new Map<string, string>();
  const ask = async ({ url }: Harness, path: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...kept].map((pair) => pair.join("=")).join("; ");
    const headers = new Headers(init.headers);
    headers.set("origin", url);
    headers.set("content-type", "application/json");
    if (cookie !== "") headers.set("cookie", cookie);
    const response = await fetch(url + path, { ...init, headers });
    for (const set of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set)!;
      if (/Max-Age=0/i.test(set)) kept.delete(name);
      else kept.set(name, value);
    }
    return response;
  };
  const signIn = (harness: Harness, email: string) =>
    ask(harness, "/api/auth/sign-in/email", {
      method: "POST",
      body: JSON.stringify({ email, password: PASSWORD }),
    });
  const emailAt = async (harness: Harness) => {
    const response = await ask(harness, "/api/session");
    return response.ok
      ? ((await response.json()) as { user: { email: string } }).user.email
      : response.status;
  };
  return { kept, ask, signIn, emailAt };
}

test("signing in and out at one server leaves the session at the other", async () => {
  await signUp(one, "ann@example.com");
  await signUp(other, "ann@example.org");
  const browser = openJar();
  expect((await browser.signIn(one, "ann@example.com")).status).toBe(200);
  expect((await browser.signIn(other, "ann@example.org")).status).toBe(200);
  expect([await browser.emailAt(one), await browser.emailAt(other)]).toEqual([
    "ann@example.com",
    "ann@example.org",
  ]);
  expect(new Set([...browser.kept.keys()].map((name) => name.replace(/_[0-9a-f]{8}$/, "")))).toEqual(
    new Set(["svc_session", "svc_device"]),
  );
  expect(browser.kept.size).toBe(4);
  expect((await browser.ask(other, "/api/auth/sign-out", { method: "POST", body: "{}" })).status).toBe(200);
  expect([await browser.emailAt(one), await browser.emailAt(other)]).toEqual(["ann@example.com", 401]);
});

test("a session of an earlier version, whose cookie has no mark, stays open", async () => {
  const browser = openJar();
  await browser.signIn(one, "ann@example.com");
  const [name, value] = [...browser.kept].find(([each]) => each.startsWith("svc_session"))!;
  browser.kept.clear();
  browser.kept.set("svc_session", value);
  expect(await browser.emailAt(one)).toBe("ann@example.com");
  browser.kept.set(name, "nonsense"); // one with a mark counts
  expect(await browser.emailAt(one)).toBe(401);
});

test("nodes of one installation give their cookies the same names", async () => {
  const secret = { LOQUAT_SECRET: "of the operator's own, and long enough" };
  const names = async () => {
    await using node = await openAccountsHarness({ environment: secret });
    const ann = await signUp(node, "ann@example.com");
    return ann.cookie().split("=")[0];
  };
  expect(await names()).toBe(await names());
});
