/** What is charged for. */
export const UNITS = ["character", "second", "input_token", "output_token"] as const;
export type Unit = (typeof UNITS)[number];

/** The sum of usage that a unit counts in. */
export const SUM_OF = {
  character: "characters",
  second: "audioSeconds",
  input_token: "tokens",
  output_token: "tokens",
} as const satisfies Record<Unit, string>;
