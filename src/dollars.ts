/** Amounts of money in letters: micros as US dollars, to the cent. */
export const dollars = (micros: number): string =>
  `${micros < 0 ? "-" : ""}$${(Math.abs(micros) / 1e6).toFixed(2)}`;
