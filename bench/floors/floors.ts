/**
 * What the parts of a request cost by themselves, one after another on an idle server: no target that is less than the sum
 * of what it contains can be reached.
 */
import type { Row } from "../harness/row.ts";
import { frameworkFloors } from "./framework-floors.ts";
import { ledgerFloors } from "./ledger-floors.ts";

export const benchFloors = async (): Promise<Row[]> => [
  ...(await ledgerFloors()),
  ...(await frameworkFloors()),
];
