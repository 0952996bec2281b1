/** An answer of another server, or of an engine node, that cannot be one to what was asked; the message is for the log. */
export class FaultyAnswer extends Error {}

/** Throws `FaultyAnswer` where the answer is not what it must be. */
export function mustBe(holds: boolean, what: string): asserts holds {
  if (!holds) throw new FaultyAnswer(what);
}

type Fields = Partial<Record<string, unknown>>;

/** Throws where it is no object. */
export function fieldsOf(value: unknown, what: string): Fields {
  mustBe(typeof value === "object" && value !== null && !Array.isArray(value), `${what} is no object`);
  return value as Fields;
}

/** Throws where it is no list, or a longer one than it can be. */
export function listOf(value: unknown, what: string, lengthMax = Number.POSITIVE_INFINITY): unknown[] {
  mustBe(Array.isArray(value), `${what} is no list`);
  mustBe(value.length <= lengthMax, `${what} has ${value.length} entries, which cannot be`);
  return value;
}

/** Throws where it is no number from `min` to `max`. */
export function numberIn(value: unknown, what: string, { min, max }: { min: number; max: number }): number {
  mustBe(typeof value === "number" && value >= min && value <= max, `${what} is not from ${min} to ${max}`);
  return value;
}

export function wholeIn(value: unknown, what: string, range: { min: number; max: number }): number {
  const number = numberIn(value, what, range);
  mustBe(Number.isInteger(number), `${what} is no whole number`);
  return number;
}
