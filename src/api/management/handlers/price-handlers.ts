/** Handlers of the prices that operators set. */
import { isTts } from "../../../models/catalogue.ts";
import { backgroundPriceOf } from "../../../models/manifest.ts";
import { priceRecord } from "../../../models/prices.ts";
import type { priceRoutes } from "../schema/price-routes.ts";
import { type Handlers, notFound, type Reads } from "./handler.ts";

export function priceHandlers({
  prices,
  catalogue,
}: Reads<"prices" | "catalogue">): Handlers<typeof priceRoutes> {
  return {
    "GET /api/operator/prices": async () => {
      const byModel = Map.groupBy(prices.current(), ({ model }) => model);
      return {
        object: "list" as const,
        data: catalogue.entries.map((entry) => ({
          ...{ model: entry.id, name: entry.manifest.name },
          unit: isTts(entry) ? ("character" as const) : ("second" as const),
          unit_price_micros: entry.manifest.price_micros,
          background_unit_price_micros: backgroundPriceOf(entry.manifest),
          prices: (byModel.get(entry.id) ?? []).toReversed().map(priceRecord),
        })),
      };
    },
    "PUT /api/operator/prices": async ({ body }) =>
      priceRecord(
        await prices.set({
          ...{ model: body.model, micros: body.unit_price_micros, validFrom: body.valid_from ?? null },
          backgroundMicros: body.background_unit_price_micros ?? null,
        }),
      ),
    "POST /api/operator/prices/remove": async ({ body: { model, valid_from } }) => {
      if (!(await prices.remove({ model, validFrom: valid_from }))) throw notFound("price");
    },
  };
}
