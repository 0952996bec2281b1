/**
 * Promise: in a real browser, an operator sees the machine of each node, now and in the last hour, and what is unknown is not
 * drawn as 0. With SCREENSHOTS=folder, pictures are saved there.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { MachineHour } from "../../src/cluster/machines.ts";
import { openAccountsHarness, signUp } from "../api/management/people.ts";
import { chromium, type OwnBrowser, openBrowser, unlessBrowser } from "../chromium.ts";
import { expectLooks } from "./looks.ts";
import { sees } from "./page-actions.ts";

setDefaultTimeout(120_000);

let browser: OwnBrowser;
beforeAll(async () => {
  if (chromium) browser = await openBrowser();
});
afterAll(() => browser?.[Symbol.asyncDispose]());

const GB = 1e9;

/** An hour of a machine with a GPU, of which the first ten minutes were not seen. */
function busy({ node, minutes }: MachineHour): MachineHour {
  const gpu = { name: "NVIDIA A10", use: 0.81, memoryUsedBytes: 7 * GB, memoryTotalBytes: 24 * GB };
  const machine = {
    ...{
      cores: 8,
      cpu: 0.62,
      processCpu: 0.41,
      gpus: [gpu],
      disk: { freeBytes: 40 * GB, totalBytes: 100 * GB },
    },
    ...{ memoryUsedBytes: 9 * GB, memoryTotalBytes: 16 * GB },
  };
  const engines = [{ name: "flite", running: 2, waiting: 5, loaded: true }];
  const wave = (at: number) => 0.5 + 0.35 * Math.sin(at / 6);
  return {
    node: { ...node, report: { ...node.report, machine, engines, memoryBytes: 3 * GB } },
    minutes: minutes.map((minute, at) =>
      at < 10
        ? minute
        : {
            ...{ start: minute.start, cpu: wave(at), processCpu: wave(at) / 2, gpuUse: 1 - wave(at) },
            ...{ memoryUsedBytes: (6 + at / 20) * GB, processMemoryBytes: (2 + at / 60) * GB },
            ...{ diskFreeBytes: (50 - at / 6) * GB, gpuMemoryUsedBytes: 7 * GB },
            ...{ running: at % 3, waiting: at > 40 ? at - 40 : 0 },
          },
    ),
  };
}

describe.skipIf(!chromium)(`the machines of nodes${unlessBrowser}`, () => {
  test("the machine of the only node is measured", async () => {
    await using harness = await openAccountsHarness({ plan: "unmetered" });
    const root = await signUp(harness, "root@example.com");
    const page = await browser.visitAs(root, `${harness.url}/operator/status`);
    await sees(page, /Machine\s+Tasks: 0 running, 0 waiting/);
    await sees(page, /[\d.]+% of \d+ processors? in use/);
    await page.waitForSelector('[aria-label^="Memory, last hour by minute"] canvas');
    await page.close();
  });

  test("the last hour is drawn with the limits of the machine, and minutes that were not seen are left out", async () => {
    await using harness = await openAccountsHarness({ plan: "unmetered" });
    const root = await signUp(harness, "root@example.com");
    const { machines } = harness.parts;
    const { now } = machines;
    machines.now = () => now().map(busy);
    const page = await browser.visitAs(root, `${harness.url}/operator/status`);
    await sees(page, /Machine\s+Tasks: 2 running, 5 waiting/);
    await sees(page, /62% of 8 processors in use\s+41% by the server/);
    await sees(page, /9 GB of 16 GB in use\s+3 GB by the server/);
    await sees(page, /40 GB of 100 GB free/);
    await sees(page, /NVIDIA A10\s+7 GB of 24 GB of memory in use\s+Use 81%/);
    for (const [label, told] of [
      ["Processors", /: Server [\d.]+%, Machine [\d.]+%/],
      ["GPU,", /: Use [\d.]+%/],
      ["Tasks", /Waiting 19/],
    ] as const) {
      await page.waitForSelector(`[aria-label^="${label}"] canvas`);
      await page.focus(`[aria-label^="${label}"]`);
      await page.keyboard.press("End");
      await sees(page, told);
      await page.keyboard.press("Home");
      expect(await announced(page, label)).toMatch(/^\d\d:\d\d: no data$/);
    }
    await expectLooks(page, "machines", { fullPage: true });
    await page.close();
  });

  test("several nodes have a card each, and one that does not report its machine says so", async () => {
    await using harness = await openAccountsHarness({ plan: "unmetered" });
    const root = await signUp(harness, "root@example.com");
    const { machines } = harness.parts;
    const { now } = machines;
    machines.now = () =>
      now().flatMap((own) => [
        { ...busy(own), node: { ...busy(own).node, id: "eu-1" } },
        { ...own, node: { ...own.node, id: "eu-2", report: { ...own.node.report, machine: null } } },
      ]);
    const page = await browser.visitAs(root, `${harness.url}/operator/status`);
    await sees(page, /Machine of eu-1[\s\S]*Machine of eu-2[\s\S]*does not report its machine/);
    await page.waitForSelector('[aria-label^="Memory of eu-1, last hour by minute"] canvas');
    await page.close();
  });
});

type Page = Awaited<ReturnType<OwnBrowser["visitAs"]>>;

const announced = async (page: Page, label: string) =>
  String(await page.evaluate(`document.querySelector('[aria-label^="${label}"] [aria-live]').innerText`));
