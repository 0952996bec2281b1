/** A real browser for tests of pages: what a page complains of or asks of another host is kept. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import puppeteer, { type Browser, type Page } from "puppeteer-core";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const AXE = fileURLToPath(new URL("../node_modules/axe-core/axe.min.js", import.meta.url));

export const chromium = PATHS.find(existsSync);
export const unlessBrowser = chromium ? "" : " (skipped: no Chromium here)";

export type OwnBrowser = AsyncDisposable & {
  browser: Browser;
  /** A page with cookies of its own, and what went wrong on it. */
  visit(url: string): Promise<{ page: Page; complaints: string[] }>;
};

export async function openBrowser(args: string[] = []): Promise<OwnBrowser> {
  const profile = mkdtempSync(join(tmpdir(), "loquat-browser-"));
  const quiet = ["--no-sandbox", "--disable-quic", "--disable-background-networking", "--disable-sync"];
  const browser = await puppeteer.launch({
    executablePath: chromium!,
    userDataDir: profile,
    args: [...quiet, "--no-first-run", "--disable-component-update", ...args],
  });
  return {
    browser,
    async visit(url) {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]); // nothing fades
      const complaints = listen(page, url);
      await page.goto(url);
      return { page, complaints };
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** Messages about the host of `url` are no complaint, and neither is a missing session. */
export function listen(page: Page, url: string): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    const from = message.location().url ?? "";
    if (message.type() === "error" && !from.endsWith("/api/session"))
      complaints.push(`${message.text()} ${from}`);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith("http") && host !== new URL(url).host) complaints.push(request.url());
  });
  return complaints;
}

/** Gives the page a user's cookie, as "name=value". */
export async function hold(page: Page, cookie: string): Promise<void> {
  const [name, value] = cookie.split(/=(.*)/s) as [string, string];
  const domain = "127.0.0.1";
  await page.browserContext().setCookie({ name, value, domain, path: "/", httpOnly: true });
}

const MOTION_ENDS = `Promise.allSettled(document.getAnimations()
  .filter((animation) => Number.isFinite(animation.effect.getComputedTiming().endTime))
  .map(({ finished }) => finished))`;

/** What axe-core finds, as "rule: where". */
export async function barriers(page: Page): Promise<string[]> {
  await page.waitForFunction("!document.querySelector('.loading')");
  await page.evaluate(MOTION_ENDS); // colours fade
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(readFileSync(AXE, "utf8"));
  const result = (await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as {
    violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[];
  };
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")} ${failureSummary}`),
  );
}
