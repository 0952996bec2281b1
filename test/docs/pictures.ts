/** `npm run docs:pictures`: the pictures of the README, taken of a real server in Chromium. Needs Chromium. */
import { fileURLToPath } from "node:url";
import type { Page } from "puppeteer-core";
import type { Charge } from "../../src/ledger/burn-down.ts";
import { openAccountsHarness, signUp } from "../api/management/people.ts";
import { hold, openBrowser } from "../chromium.ts";
import type { Harness } from "../harness.ts";
import { press, sees } from "../web/page-actions.ts";

const SIZE = { width: 1280, height: 800 };
const DAYS = 30;
const DAY_SECONDS = 86_400;

const pathOf = (name: string) =>
  fileURLToPath(new URL(`../../docs/images/${name}.png`, import.meta.url)) as `${string}.png`;

/** A month of requests, more on weekdays and towards the end. */
async function fillLedger({ parts: { accounts, ledger, clock }, organizationId }: Harness): Promise<void> {
  const [project] = await accounts.listProjects(organizationId);
  const nowSeconds = Math.floor(clock.now() / 1000);
  for (let day = 0; day < DAYS; day++) {
    const createdAt = nowSeconds - (DAYS - 1 - day) * DAY_SECONDS;
    const isWeekend = [0, 6].includes(new Date(createdAt * 1000).getUTCDay());
    const count = (isWeekend ? 2 : 7) + Math.round(day / 6) + ((day * 7) % 4);
    for (let index = 0; index < count; index++) {
      const request = { ...requestOf(`req_${day}x${index}`, index), createdAt };
      const { id, endpoint, model, characters, costMicros, environment } = request;
      const owner = { organizationId, projectId: project!.id, keyId: "key_docs" };
      const [unit, quantity] = characters === null ? ["second", 60] : ["character", characters];
      await ledger.charge(
        {
          ...{ id: `${id}.0`, requestId: id, ...owner, environment, endpoint, model, plan: "prepaid" },
          ...{ unit, quantity, priceMicros: 15_000_000, costMicros, createdAt },
        } as Charge,
        { ...request, ...owner },
      );
    }
  }
}

/** Two of three requests are speech, by either model. */
function requestOf(id: string, index: number) {
  const isSpeech = index % 3 !== 0;
  return {
    id,
    durationMs: 180,
    firstByteMs: 60,
    endpoint: isSpeech ? "/v1/audio/speech" : "/v1/audio/transcriptions",
    method: "POST",
    status: 200,
    errorCode: null,
    errorMessage: null,
    environment: "live" as const,
    model: isSpeech ? (index % 2 === 0 ? "svc-tts1" : "svc-tts2") : "svc-stt1",
    voice: isSpeech ? "female-warm" : null,
    stream: false,
    responseFormat: isSpeech ? "mp3" : "json",
    characters: isSpeech ? 900 : null,
    audioSeconds: isSpeech ? null : 60,
    costMicros: isSpeech ? 13_500 : 900,
    ip: null,
    userAgent: null,
  };
}

async function take(page: Page, name: string): Promise<void> {
  await page.waitForFunction("!document.querySelector('.loading')");
  await page.screenshot({ path: pathOf(name) });
}

await using harness = await openAccountsHarness();
const owner = await signUp(harness, "ada@example.com", { name: "Ada" });
await fillLedger(harness);
await using browser = await openBrowser();
const { page } = await browser.visit(harness.url);
await page.setViewport(SIZE);
await hold(page, owner.cookie());

await page.goto(`${harness.url}/orgs/${harness.organizationId}/usage?by=model&range=30d`);
await sees(page, /svc-tts2/);
await take(page, "dashboard");

await page.goto(`${harness.url}/playground`);
await sees(page, /Alasdair/);
await press(page, /^Play\s/);
await sees(page, /First audio after/);
await page.waitForFunction("Number(document.querySelector('.waveform input').value) > 2.5");
await take(page, "playground");
