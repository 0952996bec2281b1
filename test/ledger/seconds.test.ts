/** Promise: sums of seconds are shown with the precision of the measurement. */
import { expect, test } from "bun:test";
import { roundSeconds } from "../../src/ledger/booking/seconds.ts";

test.each([
  [330.28768749999983, 330.2876875],
  [0.1 + 0.2, 0.3],
  [1 / 16_000, 0.0000625],
  [0, 0],
])("%p seconds are shown as %p", (sum, rounded) => expect(roundSeconds(sum)).toBe(rounded));
