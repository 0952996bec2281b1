/** The dashboard in a real browser: the size of its first page, time to first paint, and the delay until a request appears. */
import type { Page } from "puppeteer-core";
import { openBrowser } from "../../test/chromium.ts";
import { speak } from "../harness/client.ts";
import { median, type Row } from "../harness/row.ts";
import { type Server, startServer } from "../harness/server.ts";

const VISITS = 7;
const REQUESTS = 9;

export async function benchPages(): Promise<Row[]> {
  await using server = await startServer();
  const begun = performance.now();
  const html = await (await fetch(`${server.url}/sign-in`)).text();
  const bundledMs = performance.now() - begun;
  const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
  let bytes = Bun.gzipSync(new TextEncoder().encode(html)).length;
  for (const path of files)
    bytes += Bun.gzipSync(await (await fetch(server.url + path)).arrayBuffer()).length;
  await using browser = await openBrowser();
  const paints: number[] = [];
  for (let visit = 0; visit < VISITS; visit++) {
    const { page } = await browser.visit(`${server.url}/sign-in`);
    await page.waitForSelector("h1");
    const painted = await page.evaluate(
      "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now()",
    );
    paints.push(Number(painted));
    await page.close();
  }
  const account = await server.loquat<Record<string, string>>("admin", "create", "me@example.com");
  const { page } = await browser.visit(`${server.url}/sign-in`);
  const organization = await signIn(page, account);
  await page.goto(`${server.url}/orgs/${organization}/requests?live=1`);
  const inLogs = await seen(server, page, (id) => `document.body.innerText.includes("${id}")`);
  await page.goto(`${server.url}/orgs/${organization}/usage`);
  await page.waitForSelector("[role=tab] strong");
  const requests = "Number(document.querySelector('[role=tab] strong').textContent)";
  const inUsage = await seen(server, page, (_id, times) => `${requests} === ${REQUESTS + times}`);
  return [
    { name: "first page, compressed", value: bytes / 1000, unit: "kB", target: "at most 150" },
    { name: "first paint, nothing cached", value: median(paints), unit: "ms", target: "at most 1000" },
    { name: "bundled, once a start", value: bundledMs, unit: "ms" },
    { name: "answered to seen in the log, worst", value: inLogs, unit: "ms", target: "at most 2000" },
    { name: "answered to seen in usage, worst", value: inUsage, unit: "ms", target: "at most 2000" },
  ];
}

/** As the operator. Resolves with the organization that the server's key belongs to. */
async function signIn(page: Page, { email, password }: Record<string, string>): Promise<string> {
  await (await page.waitForSelector("[name=email]"))!.type(email!);
  await page.type("[name=password]", password!);
  await page.click("button[type=submit]");
  await page.waitForFunction("/^.orgs.org_/.test(location.pathname)");
  return /org_\w+/.exec(page.url())![0];
}

/** What is true on the page once a request stands there, the so-maniest. */
type Seen = (id: string, times: number) => string;

/** The longest that a request took from its answer to the page. */
async function seen(server: Server, page: Page, isSeen: Seen): Promise<number> {
  let worstMs = 0;
  for (let times = 1; times <= REQUESTS; times++) {
    const response = await speak(server, { voice: "male-classic", input: "Good morning." });
    await response.arrayBuffer();
    const begun = performance.now();
    await page.waitForFunction(isSeen(response.headers.get("x-request-id")!, times), { polling: 10 });
    worstMs = Math.max(worstMs, performance.now() - begun);
  }
  return worstMs;
}
