/** Routes of operators: prices of models that replace those of the catalogue, at once or from a time on. */
import Type from "typebox";
import { nullable, Text, Unit, Whole } from "./records.ts";
import type { Routes } from "./route.ts";

const Model = Type.String({ minLength: 1, maxLength: 256 });

/** Of a million units, in micros. */
const Amounts = { unit_price_micros: Whole, background_unit_price_micros: nullable(Whole) };

const Price = Type.Object({
  object: Type.Literal("price"),
  model: Text,
  ...Amounts,
  /** It holds from then on, until a later one does. */
  valid_from: Whole,
  created_at: Whole,
});

export const priceRoutes = {
  "GET /api/operator/prices": {
    summary: "List the models with what they cost now, and the prices that were set for them",
    needs: "operator",
    reply: Type.Object({
      object: Type.Literal("list"),
      data: Type.Array(
        Type.Object({
          model: Text,
          name: Text,
          unit: Unit,
          /** Those that hold now, at a price factor of 1. */
          ...Amounts,
          /** The last one first; none: the price of the catalogue holds. */
          prices: Type.Array(Price),
        }),
      ),
    }),
  },
  "PUT /api/operator/prices": {
    summary: "Set the price of a model, at once or from a time on",
    needs: "operator",
    body: Type.Object({
      model: Model,
      unit_price_micros: Whole,
      /** Of what is done in the background; null or left out: the same. */
      background_unit_price_micros: Type.Optional(nullable(Whole)),
      /** In Unix seconds; null or left out: from now on. */
      valid_from: Type.Optional(nullable(Whole)),
    }),
    reply: Price,
  },
  "POST /api/operator/prices/remove": {
    summary: "Remove a price: what held before it holds again",
    needs: "operator",
    body: Type.Object({ model: Model, valid_from: Whole }),
  },
} as const satisfies Routes;
