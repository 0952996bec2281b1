/** Promise: the guides for callers are on the server, with its address in their examples, and every link leads somewhere. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { htmlOf } from "../../../src/api/docs/docs-markdown.ts";
import { GUIDES } from "../../../src/api/docs/guide-list.ts";
import { errorOf, type Harness, openHarness } from "../../harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

const get = (path: string, headers: Record<string, string> = {}) => fetch(harness.url + path, { headers });
const textAt = async (path: string) => {
  const response = await get(path);
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
};
const attributes = (html: string, name: string) =>
  [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"))].map(([, value]) => value!);

/** The reference of the dashboard's API is not walked whole: its pages are made by the same code. */
const pages = async () => {
  const { paths } = (await (await get("/docs/json")).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const ids = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  return [
    "/docs",
    "/docs/search?q=voice",
    "/docs/management",
    "/docs/api",
    ...GUIDES.map((name) => `/docs/${name}`),
    ...ids.map((id) => `/docs/api/${id}`),
  ];
};

test("every guide is a page with a title and a menu in which it is marked", async () => {
  for (const name of GUIDES) {
    const html = await textAt(`/docs/${name}`);
    expect(html).toMatch(/<h1[^>]*>[^<]/);
    expect(html).toContain(`<a href="/docs/${name}" aria-current="page">`);
    expect(html).not.toContain("{{");
  }
});

test("all guides of clients are served", () => {
  const files = readdirSync("docs/clients").map((file) => `clients/${file.replace(".md", "")}`);
  expect(files.filter((name) => !GUIDES.includes(name))).toEqual([]);
});

test("examples have the address of the server, and no placeholder of one", async () => {
  const text = await textAt("/llms-full.txt");
  expect(text).not.toMatch(/ADDRESS:8080|localhost:8080|127\.0\.0\.1:8080|speech\.example|first-key\)/);
  expect(await textAt("/docs/quickstart")).toContain(`curl ${harness.url}/v1/audio/speech`);
  expect(await textAt("/docs/realtime.md")).toContain(`${harness.url.replace("http", "ws")}/v1/realtime`);
});

test("every link of every page leads to a page, and its fragment to an element", async () => {
  const bodies = new Map<string, string>();
  const broken: string[] = [];
  const all = await pages();
  for (const page of all) bodies.set(page, await textAt(page));
  for (const [page, html] of bodies)
    for (const link of attributes(html, "href")) {
      if (/^(https?:|data:)/.test(link) || link.startsWith("/assets/")) continue;
      const [path = "", fragment] = link.split("#");
      const target = path === "" ? page : path;
      const body = bodies.get(target) ?? (await textAt(target));
      bodies.set(target, body);
      const ids = fragment ? new Set(attributes(body, "id")) : null;
      if (ids && !ids.has(fragment!) && fragment !== "main") broken.push(`${page}: ${link}`);
    }
  expect([...new Set(broken)]).toEqual([]);
  expect(bodies.size).toBeGreaterThan(all.length);
});

test("a link to a page that is not served is text", async () => {
  const links = attributes(await textAt("/docs/quickstart"), "href");
  expect(links.filter((link) => /\/models$|operations|\.md/.test(link))).toEqual([]);
  expect(await textAt("/docs/quickstart.md")).not.toMatch(/\]\((?!https?:)/);
});

test("a link that is named after a file has the title of its page", async () => {
  expect(await textAt("/docs/requests")).toContain('<a href="/docs/clients">Clients</a>\nshows how');
  for (const name of GUIDES) expect(await textAt(`/docs/${name}`)).not.toMatch(/<a [^>]*>[\w/-]+\.md<\/a>/);
});

test("a page is revalidated by its tag, and sent compressed to those that take it", async () => {
  const first = await get("/docs/realtime", { "accept-encoding": "gzip" });
  expect(first.headers.get("content-encoding")).toBe("gzip");
  expect(first.headers.get("cache-control")).toBe("no-cache");
  const etag = first.headers.get("etag")!;
  await first.text();
  const second = await get("/docs/realtime", { "if-none-match": etag });
  expect([second.status, await second.text()]).toEqual([304, ""]);
  expect((await get("/docs/realtime", { "if-none-match": '"another"' })).status).toBe(200);
});

test.each([
  "/docs/nothing",
  "/docs/models",
  "/docs/nothing.md",
  "/docs/clients/x",
  "/docs/api/x",
  "/docs/..%2fREADME",
])("%s is not found", async (path) => {
  expect(await errorOf(await get(path))).toMatchObject({ status: 404, code: "not_found" });
});

test("/llms.txt links every guide as Markdown, and /llms-full.txt has them all", async () => {
  const text = await textAt("/llms.txt");
  const links = [...text.matchAll(/\]\((\S+\.md)\)/g)].map(([, link]) => link!);
  expect(links).toEqual(GUIDES.map((name) => `${harness.url}/docs/${name}.md`));
  const whole = await textAt("/llms-full.txt");
  for (const link of links) {
    const response = await fetch(link);
    expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(whole).toContain((await response.text()).trim().slice(0, 200));
  }
});

describe("the search", () => {
  const search = async (query: string) =>
    (
      (await (await get(`/docs/search.json?q=${encodeURIComponent(query)}`)).json()) as {
        data: { path: string }[];
      }
    ).data;

  test.each([
    ["realtime events", "realtime#events"],
    ["create speech", "api/createSpeech"],
    ["idempotency-key", "api/createSpeech"],
    ["home assistant", "home-assistant"],
    ["webhooks", "webhooks"],
  ])("finds by %s the place %s", async (query, path) => {
    expect((await search(query)).map((hit) => hit.path)).toContain(path);
  });

  test("finds nothing by no words, or words that are nowhere", async () => {
    for (const query of ["", "   ", "xyzzy", "speech xyzzy"]) expect(await search(query)).toEqual([]);
    expect((await get("/docs/search.json")).status).toBe(200);
  });

  test("shows what was asked as text", async () => {
    const html = await textAt(`/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(html).not.toContain("<script>alert");
    expect(html).toContain('value="&quot;&gt;&lt;script');
  });
});

test("HTML and addresses of scripts in Markdown are text", () => {
  const html = htmlOf(
    "<img src=x onerror=alert(1)>\n\n<script>a</script>\n\n[x](javascript:alert(1)) [y](data:text/html,a)",
  );
  expect(html).not.toMatch(/<(img|script|a)\b/);
});
