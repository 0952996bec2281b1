/** Prices of a million units as people read them: of a million characters or tokens, or of an hour of audio. */
import { money } from "./dollars.ts";

/** The catalogue's prices are per million units. */
const HOURS_PER_MILLION_SECONDS = 1_000_000 / 3600;

/** What is done at the price, and of how much it is. */
export const UNIT_WORDS = {
  character: { task: "Text to speech", amount: "million characters" },
  second: { task: "Speech to text", amount: "hour of audio" },
  input_token: { task: "Language model, reading", amount: "million tokens" },
  output_token: { task: "Language model, writing", amount: "million tokens" },
};

type Unit = keyof typeof UNIT_WORDS;

/** Of the amount in words, in micros. */
export const shownMicros = (unit: Unit, micros: number): number =>
  unit === "second" ? Math.round(micros / HOURS_PER_MILLION_SECONDS) : micros;

/** The inverse. */
export const millionMicros = (unit: Unit, shown: number): number =>
  unit === "second" ? Math.round(shown * HOURS_PER_MILLION_SECONDS) : shown;

type UnitPrice = {
  unit: Unit;
  unit_price_micros: number;
  background_unit_price_micros?: number | null | undefined;
};

/** With that of work in the background where it is another one. */
export function unitPriceText({ unit, ...price }: UnitPrice): string {
  const { unit_price_micros: micros, background_unit_price_micros: background } = price;
  const text = (each: number) => `${money(shownMicros(unit, each))} per ${UNIT_WORDS[unit].amount}`;
  if (background === undefined || background === null || background === micros) return text(micros);
  return `${text(micros)}, ${text(background)} in the background`;
}
