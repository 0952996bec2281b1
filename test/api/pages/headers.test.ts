/** Promise: every HTML page forbids framing, inline scripts, resources of other hosts, and referrers. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { buildApp } from "../../../src/server/app.ts";
import { type Harness, openHarness } from "../../harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

/** An address for every GET route outside the public API. */
const addresses = () =>
  buildApp(harness.parts)
    .routes.filter(({ method, path }) => method === "GET" && !path.startsWith("/v1/"))
    .map(({ path }) => path.replace(/:\w+|\*/g, "any"));

test("every HTML page is sent with the security headers", async () => {
  const pages: string[] = [];
  for (const address of addresses()) {
    const response = await fetch(harness.url + address, { redirect: "manual" });
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    const html = await response.text();
    if (!response.headers.get("content-type")?.startsWith("text/html")) continue;
    pages.push(address);
    const policy = new Map(
      response.headers
        .get("content-security-policy")!
        .split("; ")
        .map((rule) => [rule.split(" ")[0]!, rule.slice(rule.indexOf(" ") + 1)]),
    );
    expect(Object.fromEntries(policy)).toMatchObject({
      "default-src": "'none'",
      "script-src": "'self'",
      "style-src": "'self'",
      "frame-ancestors": "'none'",
      "base-uri": "'none'",
    });
    expect([address, response.headers.get("referrer-policy")]).toEqual([address, "no-referrer"]);
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:/i);
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
  }
  expect(pages).toEqual(expect.arrayContaining(["/", "/sign-in", "/docs", "/playground", "/orgs/any"]));
});
