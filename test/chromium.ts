/** A real browser for tests of pages: what a page complains of or asks of another host is kept. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import puppeteer, { type Browser, type BrowserContext, type Page, type Viewport } from "puppeteer-core";

/** The headless shell first: it takes five sixths of the processor time. */
const PATHS = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const AXE = fileURLToPath(new URL("../node_modules/axe-core/axe.min.js", import.meta.url));

export const chromium = PATHS.find(existsSync);
export const unlessBrowser = chromium ? "" : " (skipped: no Chromium here)";

export type OwnBrowser = AsyncDisposable & {
  /** A page with cookies and storage of its own. */
  newPage(): Promise<Page>;
  /** Such a page at an address, signed in if there is a user, and what went wrong on it. */
  visit(url: string, user?: SignedIn): Promise<{ page: Page; complaints: string[] }>;
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
  const visits: Visits = new Map();
  const newContext = async () => {
    const context = withWaits(await shared.createBrowserContext());
    visits.set(context, null);
    return context;
  };
  /** Contexts whose pages are closed are taken again: a new one is a new profile, which reads and compiles everything again. */
  const newPage = async (): Promise<Page> => {
    const unused = await takeUnused(visits);
    const context = unused?.context ?? (await newContext());
    const page = await context.newPage();
    visits.set(context, page);
    if (unused) await forget(page, new URL(unused.url).origin);
    return page;
  };
  return {
    newPage,
    async visit(url, user) {
      const page = await newPage();
      await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]); // nothing fades
      if (user) await hold(page, user.cookie());
      const complaints = listen(page, url);
      await page.goto(url);
      return { page, complaints };
    },
    async visitAs(user, url, viewport) {
      const page = await newPage();
      await page.setBypassCSP(true);
      if (viewport) await page.setViewport(viewport);
      await hold(page, user.cookie());
      await page.goto(url);
      return page;
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([...visits.keys()].map((context) => context.close()));
      if (isOwn) await shared.close();
    },
  };
}

/** What a busy machine takes to draw a page. */
const TIMEOUT_MS = 45_000;
/** Puppeteer would look at every frame, for which the browser draws 60 in a second. */
const POLL_MS = 50;

/** Its pages have the time of a busy machine. */
function withWaits(context: BrowserContext): BrowserContext {
  const newPage = context.newPage.bind(context);
  context.newPage = async (...options) => {
    const page = await newPage(...options);
    page.setDefaultTimeout(TIMEOUT_MS);
    const waitForFunction = page.waitForFunction.bind(page);
    page.waitForFunction = (find, wait, ...values) =>
      waitForFunction(find, { polling: POLL_MS, ...wait }, ...values);
    return page;
  };
  return context;
}

/** The last page of each context; null while it is opened. */
type Visits = Map<BrowserContext, Page | null>;

async function takeUnused(visits: Visits): Promise<{ context: BrowserContext; url: string } | null> {
  for (const [context, page] of visits) {
    if (!page?.isClosed()) continue;
    visits.set(context, null);
    if ((await context.pages()).length === 0) return { context, url: page.url() };
  }
  return null;
}

/** What the page before kept, but for the files that it fetched. */
async function forget(page: Page, origin: string): Promise<void> {
  const context = page.browserContext();
  await context.deleteCookie(...(await context.cookies()));
  if (origin === "null") return; // of an empty page
  const client = await page.createCDPSession();
  await client.send("Storage.clearDataForOrigin", { origin, storageTypes: STORED });
  await client.detach();
}

const STORED = "local_storage,session_storage,indexeddb,service_workers,cache_storage";

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
    "--renderer-process-limit=1", // a process for each page would take a tenth more
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

/** Which rules of axe-core run: those of colours take half of the time. */
export type Rules = "all" | "colours" | "other than colours";
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
  const options = JSON.stringify({ resultTypes: ["violations"], preload: false, ...RULES[rules] });
  const result = (await page.evaluate(`axe.run(document, ${options})`)) as {
    violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[];
  };
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")} ${failureSummary}`),
  );
}
