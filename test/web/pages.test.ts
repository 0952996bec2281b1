/**
 * Promise: every page, light, dark and on a phone, has no accessibility violation, is no wider than the screen
 * and logs no error. With SCREENSHOTS=folder, a screenshot of each is saved there.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "puppeteer-core";
import type Stripe from "stripe";
import { invite, openAccountsHarness, type Person, signUp } from "../api/management/people.ts";
import {
  barriers,
  chromium,
  hold,
  listen,
  type OwnBrowser,
  openBrowser,
  unlessBrowser,
} from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { openStripe, type StripeServer } from "../stripe/server.ts";

setDefaultTimeout(180_000);

const SECRET = "whsec_ofThePages";
const HOURS = 24 * 40;

/** With the rules that may find what the looks before did not. */
const LOOKS = {
  light: { scheme: "light", width: 1280, height: 900, rules: "all" },
  dark: { scheme: "dark", width: 1280, height: 900, rules: "colours" },
  phone: { scheme: "light", width: 360, height: 780, rules: "other than colours" },
} as const;
type Look = keyof typeof LOOKS;

let stripe: StripeServer;
let harness: Harness;
let browser: OwnBrowser;
/** A signed-in user and an organization. */
type Visitor = { person: Person; organizationId: string };
let ada: Person;
let busy: Visitor;
let fresh: Visitor;

beforeAll(async () => {
  if (!chromium) return;
  stripe = await openStripe({ webhookSecret: SECRET });
  harness = await openAccountsHarness({
    free: true,
    environment: {
      STRIPE_SECRET_KEY: stripe.key,
      STRIPE_WEBHOOK_SECRET: SECRET,
      STRIPE_API_URL: stripe.url,
    },
  });
  stripe.deliverTo(`${harness.url}/api/billing/stripe-webhook`);
  ada = await signUp(harness, "ada@example.com", { name: "Ada Lovelace" });
  busy = { person: ada, organizationId: harness.organizationId };
  const grace = await signUp(harness, "grace@example.com");
  const { organizations } = await grace.json<{ organizations: [{ id: string }] }>("/api/session");
  fresh = { person: grace, organizationId: organizations[0].id };
  await invite(ada, grace, { organizationId: harness.organizationId, role: "member" });
  await live();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await harness?.[Symbol.asyncDispose]();
  await stripe?.[Symbol.asyncDispose]();
});

/** Weeks of use: two keys, three models, now and then something that was refused. */
async function live(): Promise<void> {
  const { parts, organizationId, clock } = harness;
  const home = (await parts.accounts.defaultProject(organizationId))!.id;
  const bot = await parts.accounts.createProject(organizationId, "Telephone bot");
  const keys: string[] = [];
  for (const [projectId, name] of [
    [home, "website"],
    [bot.id, "telephone"],
  ] as const) {
    const made = await ada.json<{ id: string }>(`/api/projects/${projectId}/keys`, {
      name,
      environment: "live",
    });
    keys.push(made.id);
  }
  await ada.json(`/api/organizations/${organizationId}/billing/top-ups`, { amount_micros: 50_000_000 });
  stripe.pay(stripe.all<Stripe.Checkout.Session>("checkout.session").at(-1)!.id);
  const now = Math.floor(clock.now() / 1000);
  const models = ["svc-tts1", "svc-tts2", "svc-stt1"] as const;
  await Promise.all(
    Array.from({ length: HOURS }, async (_, hour) => {
      const createdAt = now - hour * 3600 - 60;
      const model = models[hour % 3]!;
      const isTranscription = model === "svc-stt1";
      const id = `req_${(createdAt * 1000).toString(36).padStart(9, "0")}${String(hour).padStart(15, "0")}`;
      const whose = {
        organizationId,
        projectId: hour % 2 ? bot.id : home,
        keyId: keys[hour % 2]!,
        environment: hour % 5 ? ("live" as const) : ("test" as const),
        endpoint: isTranscription ? "/v1/audio/transcriptions" : "/v1/audio/speech",
        model,
        createdAt,
      };
      const isRefused = hour % 11 === 0;
      const quantity = 200 + ((hour * 37) % 900);
      const costMicros = isRefused ? 0 : quantity * (isTranscription ? 100 : 15);
      if (!isRefused)
        await parts.ledger.charge({
          ...whose,
          plan: "prepaid",
          ...{ id: `${id}.0`, requestId: id, quantity, costMicros },
          unit: isTranscription ? "second" : "character",
          priceMicros: isTranscription ? 100_000_000 : 15_000_000,
        });
      await parts.ledger.log({
        ...whose,
        ...{ id, costMicros, durationMs: 412, firstByteMs: isRefused ? null : 180, method: "POST" },
        ...{
          status: isRefused ? 429 : 200,
          errorCode: isRefused ? "rate_limit_exceeded" : null,
          errorMessage: null,
        },
        ...{ voice: "female-warm", stream: true, responseFormat: "pcm", characters: quantity },
        ...{ responses: null, inputTokens: null, outputTokens: null },
        ...{
          audioSeconds: 3.4,
          ip: "203.0.113.7",
          userAgent: "OpenAI/JS 7.57.0",
          replayOf: null,
          label: null,
          ...{ language: null, finalTextMs: null },
          endUser: hour % 2 ? "ada@example.com" : null,
        },
      });
    }),
  );
}

const OUTSIDE = [
  "/sign-in",
  "/sign-up",
  "/forgot",
  "/reset?token=x",
  "/verify?token=x",
  "/invitation?id=x",
  "/playground",
];
const INSIDE = [
  ...[
    "overview",
    "usage",
    "usage?group=model",
    "usage?by=end_user&range=24h",
    "usage?by=status",
    "requests",
    "jobs",
    "limits",
    "keys",
    "projects",
    "members",
  ].map(org),
  ...[
    "billing",
    "voices",
    "voices?tab=own",
    "pronunciations",
    "automation",
    "webhooks",
    "audit",
    "settings",
  ].map(org),
  ...[
    "/account",
    "/operator/organizations",
    "/operator/accounts",
    "/operator/business",
    "/operator/users",
    "/operator/models",
    "/operator/upstreams",
    "/operator/conversations",
    "/operator/aliases",
    "/operator/prices",
    "/operator/webhooks",
    "/operator/audit",
    "/operator/status",
  ],
  "/operator/nowhere",
  "/playground?organization=ORG",
];

const FRESH = ["overview", "usage", "requests", "billing"].map(org);

function org(page: string): string {
  return `/orgs/ORG/${page}`;
}

type Tab = { page: Page; complaints: string[] };
const tabs = new Map<Visitor | null, Promise<Tab>>();

/** Each visitor stays in one tab: another would fetch and compile everything again. */
function tabOf(visitor: Visitor | null): Promise<Tab> {
  const opened = tabs.get(visitor) ?? open(visitor);
  tabs.set(visitor, opened);
  return opened;
}

async function open(visitor: Visitor | null): Promise<Tab> {
  const page = await browser.newPage();
  await page.setBypassCSP(true); // for axe-core alone: what the pages themselves may do is tested elsewhere
  if (visitor) await hold(page, visitor.person.cookie());
  return { page, complaints: listen(page, harness.url) };
}

/** The page once, with its data, in each look after another, which it follows as it is. */
async function visit(path: string, visitor: Visitor | null): Promise<void> {
  const { page, complaints } = await tabOf(visitor);
  complaints.length = 0;
  await take(page, "light");
  await page.goto(harness.url + path.replace("ORG", visitor?.organizationId ?? ""));
  await page.waitForSelector("h1");
  await page.waitForFunction("!document.querySelector('.loading')");
  await page.waitForNetworkIdle({ idleTime: 200, timeout: 5000 }).catch(() => {}); // some ask every second
  await page.waitForFunction("!document.querySelector('.chart:not(:has(canvas))')");
  const faults: object[] = [];
  for (const look of Object.keys(LOOKS) as Look[]) {
    await take(page, look);
    const width = Number(await page.evaluate("document.documentElement.scrollWidth"));
    const found = await barriers(page, LOOKS[look].rules);
    const tooWide = width > LOOKS[look].width;
    if (tooWide || found.length > 0) faults.push({ look, found, width });
    await save(page, { path, look, visitor });
  }
  const unexpected = complaints.filter((each) => !/status of 40[014]/.test(each));
  expect({ path, faults, unexpected }).toEqual({ path, faults: [], unexpected: [] });
}

/** Returns when the page is drawn so. */
async function take(page: Page, look: Look): Promise<void> {
  const { scheme, width, height } = LOOKS[look];
  await page.setViewport({ width, height });
  await page.emulateMediaFeatures([
    { name: "prefers-color-scheme", value: scheme },
    { name: "prefers-reduced-motion", value: "reduce" },
  ]);
  await page.evaluate(TWO_FRAMES);
}

const TWO_FRAMES = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))";

type Seen = { path: string; look: Look; visitor: Visitor | null };

async function save(page: Page, { path, look, visitor }: Seen): Promise<void> {
  const folder = Bun.env.SCREENSHOTS;
  if (!folder) return;
  const address = path.replace(/\?.*/, "").replaceAll("/", "-").slice(1);
  const file = `${visitor === fresh ? "fresh-" : ""}${visitor ? "" : "public-"}${address}-${look}.png`;
  await page.screenshot({ path: join(folder, file), fullPage: true });
}

describe.skipIf(!chromium)(`every page, light, dark and on a phone${unlessBrowser}`, () => {
  test.each(OUTSIDE)("%s", (path) => visit(path, null));
  test.each(INSIDE)("%s", (path) => visit(path, busy));
  test.each(FRESH)("%s of a new user", (path) => visit(path, fresh));
});
