/** `loquat prices`: what models cost, in place of the catalogue's prices, at once or from a day on. */
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { systemClock, unixSeconds } from "../../clock.ts";
import { type Catalogue, isTts, withPrices } from "../../models/catalogue.ts";
import { backgroundPriceOf } from "../../models/manifest.ts";
import { openPriceAdmin } from "../../models/price-admin.ts";
import { type Price, priceRecord, pricesAt } from "../../models/prices.ts";
import { openPrices } from "../../server/live-prices.ts";
import { withStorage } from "../base/context.ts";
import { type Column, JSON_OPTION, printJson, printLine, printList, UsageError } from "../base/output.ts";
import { formatDollars, futureDay } from "../base/values.ts";
import { openCatalogue } from "../models/installed/packages.ts";

type Admin = ReturnType<typeof openPriceAdmin>;

/** Its day, in UTC, or its time. */
function timeText(seconds: number): string {
  const text = new Date(seconds * 1000).toISOString();
  return text.endsWith("T00:00:00.000Z") ? text.slice(0, 10) : text.replace(".000Z", "Z");
}

const COLUMNS: Column<Listed>[] = [
  "model",
  { title: "PER MILLION", text: ({ unit }) => `${unit}s` },
  { title: "PRICE", text: ({ unit_price_micros }) => formatDollars(unit_price_micros) },
  {
    title: "IN THE BACKGROUND",
    text: ({ background_unit_price_micros }) => formatDollars(background_unit_price_micros),
  },
  { title: "SET", text: ({ prices }) => prices.map(setText).join("; ") || null, cut: true },
];

const setText = (price: ReturnType<typeof priceRecord>) =>
  `${formatDollars(price.unit_price_micros)} from ${timeText(price.valid_from)}`;

export function prices(command: Command): void {
  command
    .command("list")
    .description("List what each model costs now, and the prices that were set for it")
    .option(...JSON_OPTION)
    .action(({ json }) =>
      withPricing(async (admin, catalogue) =>
        printList(listed(admin.current(), catalogue), { columns: COLUMNS, json }),
      ),
    );
  command
    .command("set")
    .description("Set what a model costs; running servers follow within a second")
    .argument("<model>", "its id, such as svc-tts1")
    .argument("<dollars>", "of a million characters, or a million seconds of audio", priceAmount)
    .option("--background <dollars>", "the same for what is done in the background", priceAmount)
    .option(
      "--from <date>",
      "the day, in UTC, on which it begins to hold (default: now)",
      futureDay("a price"),
    )
    .option(...JSON_OPTION)
    .action((model, micros, { background = null, from = null, json }) =>
      withPricing(async (admin) => {
        const price = await admin.set({ model, micros, backgroundMicros: background, validFrom: from });
        if (json) return printJson(priceRecord(price));
        const since = from === null ? "now" : `from ${timeText(from)}`;
        printLine(`${model} costs ${formatDollars(micros)} ${since}.`);
      }),
    );
  command
    .command("remove")
    .description("Remove a price: what held before it holds again")
    .argument("<model>", "its id")
    .argument("<time>", "since when it holds or will, as listed, such as 2026-12-01", timeIn)
    .action((model, validFrom) =>
      withPricing(async (admin) => {
        if (!(await admin.remove({ model, validFrom })))
          throw new UsageError(`${model} has no price from then on. See "loquat prices list".`);
      }),
    );
}

const withPricing = (work: (admin: Admin, catalogue: Catalogue) => Promise<void>) =>
  withStorage(async (storage) => {
    const [catalogue, list] = await Promise.all([openCatalogue(), openPrices(storage)]);
    await work(openPriceAdmin({ list, catalogue, clock: systemClock }), catalogue);
  });

function listed(all: readonly Price[], catalogue: Catalogue) {
  const byModel = Map.groupBy(all, ({ model }) => model);
  return withPrices(catalogue, pricesAt(all, unixSeconds(systemClock))).entries.map((entry) => ({
    object: "model_price",
    ...{ model: entry.id, unit: isTts(entry) ? "character" : "second" },
    unit_price_micros: entry.manifest.price_micros,
    background_unit_price_micros: backgroundPriceOf(entry.manifest),
    prices: (byModel.get(entry.id) ?? []).map(priceRecord),
  }));
}

type Listed = ReturnType<typeof listed>[number];

/** 0 is free of charge. */
function priceAmount(text: string): number {
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(text))
    throw new InvalidArgumentError("Expected an amount in US dollars, such as 15 or 0.6.");
  return Math.round(Number(text) * 1e6);
}

function timeIn(text: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw new InvalidArgumentError("Expected a day or time in UTC, as listed.");
  return ms / 1000;
}
