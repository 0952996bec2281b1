/** Promise: the dashboard and the playground are one small page that loads nothing from other hosts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { webRoutes } from "../../../src/api/pages/web.ts";
import { buildApp } from "../../../src/server/app.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";
import { serveApp } from "../../serve-app.ts";
import { quietFor } from "../../until.ts";

const FIRST_PAGE_BYTES = 150_000;

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = {}) => fetch(harness.url + path, { headers });

describe("the web pages", () => {
  test.each(["/", "/sign-in", "/verify?token=x", "/orgs/org_1/usage", "/operator/status", "/playground"])(
    "are served at %s",
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(response.headers.get("cache-control")).toBe("no-cache");
      const policy = response.headers.get("content-security-policy")!;
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
      ])
        expect(policy).toContain(rule);
      expect(policy).not.toContain("unsafe");
      expect(await response.text()).not.toMatch(/(src|href)="(?!\/assets\/|data:|#)|<script>|<style|style=/);
    },
  );

  test("are under 150 KB compressed at first load, and their files are immutable", async () => {
    const html = await (await get("/")).text();
    const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
    expect(files.some((path) => path.endsWith(".js"))).toBe(true);
    let bytes = Bun.gzipSync(new TextEncoder().encode(html)).length;
    for (const path of files) {
      const response = await get(path);
      expect(response.headers.get("cache-control")).toContain("immutable");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      bytes += Bun.gzipSync(await response.arrayBuffer()).length;
    }
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(FIRST_PAGE_BYTES);
  });

  test("bring the typefaces that their style sheet names, of text and of code", async () => {
    const sheet = /href="(\/assets\/[^"]+\.css)"/.exec(await (await get("/")).text())![1]!;
    const fonts = [...(await (await get(sheet)).text()).matchAll(/url\("?\.\/([^")]+\.woff2)"?\)/g)];
    expect(fonts.map(([, name]) => name!.split("-")[0])).toContain("ibm");
    for (const [, name] of fonts) {
      const response = await get(`/assets/${name}`);
      expect([name, response.status, response.headers.get("content-type")]).toEqual([
        name!,
        200,
        "font/woff2",
      ]);
    }
  });

  test.each(["microphone", "loudspeaker"])(
    "keep the audio worklet %s's address, which is revalidated",
    async (name) => {
      const response = await get(`/assets/${name}.js`);
      expect(response.headers.get("content-type")).toStartWith("text/javascript");
      expect(response.headers.get("cache-control")).toBe("no-cache");
      expect(await response.text()).toContain("registerProcessor");
    },
  );

  test.each(["/playground", "/orgs/org_1/playground", "/orgs/org_1/usage"])(
    "may open WebSockets to their own host only: %s",
    async (path) => {
      const { host } = new URL(harness.url);
      const policy = (await get(path)).headers.get("content-security-policy")!;
      expect(policy.match(/wss?:[^ ;]*/g)).toEqual([`ws://${host}`, `wss://${host}`]);
    },
  );

  test("do not include other files of the folder", async () => {
    for (const name of ["page.html", "main.tsx", "..%2f..%2fpackage.json", "nothing.js"])
      expect(await errorOf(await get(`/assets/${name}`))).toMatchObject({ status: 404, code: "not_found" });
    expect(await errorOf(await get("/nowhere"))).toMatchObject({ status: 404, code: "not_found" });
  });
});

describe("files of the dashboard", () => {
  test("of another version are sent by every node that shares its database", async () => {
    const name = "chunk-0123abcd.js";
    expect(await errorOf(await get(`/assets/${name}`))).toMatchObject({ status: 404 });
    const { database } = harness.parts;
    const gzip = Buffer.from(Bun.gzipSync("earlier()"));
    await database.query
      .insert(database.tables.webAsset)
      .values({ name, type: "text/javascript", gzip, usedMs: 0 });
    for (const accepted of ["gzip", "identity"]) {
      const response = await get(`/assets/${name}`, { "accept-encoding": accepted });
      expect(await response.text()).toBe("earlier()");
      expect(response.headers.get("cache-control")).toContain("immutable");
    }
  });

  test("are kept with the page that names them, and those of old versions are deleted", async () => {
    const { database } = harness.parts;
    const { webAsset } = database.tables;
    await database.query.delete(webAsset);
    const fresh = serveApp(buildApp(harness.parts));
    const old = { type: "text/css", gzip: Buffer.from(Bun.gzipSync("a")) };
    const day = 86_400_000;
    const nowMs = harness.clock.now();
    await database.query.insert(webAsset).values([
      { ...old, name: "old-00000000.css", usedMs: nowMs - 31 * day },
      { ...old, name: "recent-00000000.css", usedMs: nowMs - 29 * day },
    ]);
    const html = await (await fetch(new URL("/", fresh.origin))).text();
    await fresh[Symbol.asyncDispose]();
    const kept = (await database.query.select().from(webAsset)).map(({ name }) => name);
    for (const [, name] of html.matchAll(/"\/assets\/([^"]+-[0-9a-z]{8}\.\w+)"/g))
      expect(kept).toContain(name!);
    expect(kept.length).toBeGreaterThan(10);
    expect(kept).toContain("recent-00000000.css");
    expect(kept).not.toContain("old-00000000.css");
  });
});

test("opening a page prepares for signing in, reading a file of it does not", async () => {
  const file = { type: "text/html", plain: Buffer.from("<p>"), gzip: Buffer.from(""), isImmutable: true };
  const files = new Map(["page.html", "page.js"].map((name) => [name, file]));
  const kept = { save: async () => {}, find: async () => null };
  const paths: string[] = [];
  const opened = Promise.withResolvers<string[]>();
  const app = webRoutes({ files: async () => files, hash: () => null }, kept, () => opened.resolve(paths));
  for (const path of ["/assets/page.js", "/sign-in"]) {
    paths.push(path);
    await app.handle(new Request(`http://localhost${path}`));
    await quietFor(1);
    if (path === "/assets/page.js")
      expect(await Promise.race([opened.promise, "not opened"])).toBe("not opened");
  }
  expect(await opened.promise).toEqual(["/assets/page.js", "/sign-in"]);
});
