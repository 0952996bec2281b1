/** Promise: behind a proxy that has the server below a path, everything works there: signing in, pages, their parts, docs. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openAccountsHarness, PASSWORD, signUp } from "../api/management/people.ts";
import { chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { fill, press, sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let server = "";
/** As `location /speech/ { proxy_pass http://server/; }` does; what is outside of it is another service. */
const proxy = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    const { pathname, search, origin } = new URL(request.url);
    if (!pathname.startsWith("/speech/")) return new Response("another service", { status: 418 });
    const target = server + pathname.slice("/speech".length) + search;
    const headers = new Headers(request.headers);
    headers.set("host", new URL(origin).host);
    headers.set("accept-encoding", "identity"); // fetch would unpack it, and leave its name
    return fetch(
      new Request(target, { method: request.method, headers, body: request.body, redirect: "manual" }),
    );
  },
});
const base = `http://127.0.0.1:${proxy.port}/speech`;

let harness: Harness;
let browser: OwnBrowser;
beforeAll(async () => {
  if (!chromium) return;
  harness = await openAccountsHarness({ environment: { LOQUAT_URL: base } });
  server = harness.url;
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
  proxy.stop(true);
});

describe.skipIf(!chromium)(`a server below a path${unlessBrowser}`, () => {
  test("signs in, opens pages and their parts, and asks for nothing outside of the path", async () => {
    await signUp(harness, "ada@example.com");
    const { page, complaints } = await browser.visit(`${base}/sign-in?next=%2Faccount`);
    const outside: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(`${base}/`) && /^https?:/.test(request.url()))
        outside.push(request.url());
    });
    await fill(page, { email: "ada@example.com", password: PASSWORD });
    await press(page, /^Sign in$/);
    await sees(page, /Sessions/);
    expect(page.url()).toBe(`${base}/account`);
    await page.goto(`${base}/`);
    await sees(page, /Overview/);
    expect(new URL(page.url()).pathname).toMatch(/^\/speech\/orgs\/org_\w+\/overview$/);
    for (const [name, title] of [
      ["keys", /API keys/],
      ["usage", /Usage/],
      ["playground", /Playground/],
      ["connect", /Connect/],
    ] as const) {
      await page.$eval(`nav a[href$="/${name}"]`, (link) => (link as unknown as { click(): void }).click());
      await sees(page, title);
      expect(new URL(page.url()).pathname).toMatch(new RegExp(`^/speech/orgs/\\w+/${name}$`));
    }
    await sees(page, new RegExp(`${base}/v1`));
    await page.goto(`${base}/docs/realtime`);
    await sees(page, /input_audio_buffer/);
    await page.goto(`${base}/docs/api`);
    await sees(page, /\/v1\/audio\/speech/);
    await page.goto(`${base}/nothing-here`);
    expect(await page.$$eval("a", (links) => links.map(({ pathname }) => pathname))).toEqual([
      "/speech/",
      "/speech/playground",
      "/speech/docs",
    ]);
    expect(outside).toEqual([]);
    expect(complaints.filter((each) => !each.includes("404"))).toEqual([]);
    const cookies = await page.browserContext().cookies();
    expect(cookies.every(({ path }) => path.startsWith("/speech"))).toBe(true);
  });

  test("answers the same where the proxy leaves the path in the address", async () => {
    for (const path of ["/speech/healthz", "/healthz", "/speech/playground", "/speech/v1//models"])
      expect(
        (await fetch(harness.url + path, { headers: { authorization: `Bearer ${harness.key}` } })).status,
      ).toBe(200);
    expect((await fetch(`${harness.url}/speechless/healthz`)).status).toBe(404);
  });
});
