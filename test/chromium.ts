/** A real browser for tests of pages: what a page complains of or asks of another host is kept. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import puppeteer, { type Browser, type BrowserContext, type Page, type Viewport } from "puppeteer-core";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const AXE = fileURLToPath(new URL("../node_modules/axe-core/axe.min.js", import.meta.url));

export const chromium = PATHS.find(existsSync);
export const unlessBrowser = chromium ? "" : " (skipped: no Chromium here)";

export type OwnBrowser = AsyncDisposable & {
  browser: Pick<Browser, "createBrowserContext">;
  /** A page with cookies of its own, and what went wrong on it. */
  visit(url: string): Promise<{ page: Page; complaints: string[] }>;
  /** A page of a user who is signed in; axe-core may run in it. */
  visitAs(user: SignedIn, url: string, viewport?: Viewport): Promise<Page>;
};

type SignedIn = { cookie(): string };

/**
 * Contexts of a browser that the test files of this process share; they close with what is returned. With arguments it is a
 * browser of its own, which closes with them.
 */
export async function openBrowser(args: string[] = []): Promise<OwnBrowser> {
  const isOwn = args.length > 0;
  const shared = isOwn ? await startBrowser(args) : await sharedBrowser();
  const contexts: BrowserContext[] = [];
  const browser = {
    async createBrowserContext() {
      const context = await shared.createBrowserContext();
      contexts.push(context);
      return context;
    },
  };
  return {
    browser,
    async visit(url) {
      const page = await (await browser.createBrowserContext()).newPage();
      await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]); // nothing fades
      const complaints = listen(page, url);
      await page.goto(url);
      return { page, complaints };
    },
    async visitAs(user, url, viewport) {
      const page = await (await browser.createBrowserContext()).newPage();
      await page.setBypassCSP(true);
      if (viewport) await page.setViewport(viewport);
      await hold(page, user.cookie());
      await page.goto(url);
      return page;
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(contexts.map((context) => context.close()));
      if (isOwn) await shared.close();
    },
  };
}

let running: Promise<Browser> | null = null;

async function sharedBrowser(): Promise<Browser> {
  const open = await running;
  if (open?.connected) return open;
  running = startBrowser([]);
  return running;
}

async function startBrowser(args: readonly string[]): Promise<Browser> {
  removeEnded();
  const profile = mkdtempSync(join(tmpdir(), `${PROFILE}${process.pid}-`));
  const quiet = [
    "--no-sandbox",
    "--autoplay-policy=no-user-gesture-required",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-sync",
  ];
  return puppeteer.launch({
    executablePath: chromium!,
    userDataDir: profile,
    pipe: true, // it ends when the pipe does
    args: [...quiet, "--no-first-run", "--disable-component-update", ...args],
  });
}

const PROFILE = "loquat-browser-";

/** A run of tests ends without an event: the next one removes what its browsers left. */
function removeEnded(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = /^loquat-browser-(\d+)-/.exec(name)?.[1];
    if (pid && !existsSync(`/proc/${pid}`)) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
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

/** Which rules of axe-core run: those of colours take most of the time. */
type Rules = "all" | "colours" | "other than colours";
const RULES = {
  all: {},
  colours: { runOnly: ["color-contrast"] },
  "other than colours": { rules: { "color-contrast": { enabled: false } } },
};

/** What axe-core finds, as "rule: where". */
export async function barriers(page: Page, rules: Rules = "all"): Promise<string[]> {
  await page.waitForFunction("!document.querySelector('.loading')");
  await page.evaluate(MOTION_ENDS); // colours fade
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(readFileSync(AXE, "utf8"));
  const options = JSON.stringify({ resultTypes: ["violations"], ...RULES[rules] });
  const result = (await page.evaluate(`axe.run(document, ${options})`)) as {
    violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[];
  };
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")} ${failureSummary}`),
  );
}
