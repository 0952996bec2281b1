// @ts-check
/**
 * The bundle of a checkout: its sources and the packages that they import as a few files. A start reads them in half the
 * time of some 2,000 files. Set-up makes it; it is not used once one of its sources or the lock file has changed. Plain
 * JavaScript, because set-up runs in Node.js.
 *
 *   .bundle/commands.js    the entry, made of src/cli/commands.ts; what it loads later lies beside it
 *   .bundle/made.json      from which files, and when
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Directly below the checkout, since its code finds other files by its own place. */
export const BUNDLE = ".bundle";
export const ENTRY = "commands.js";
export const MADE = "made.json";

/**
 * @typedef {object} Made
 * @property {number} at before its files were read, in milliseconds since 1970
 * @property {string[]} of paths below the checkout
 * @property {string[]} files what it consists of
 */

/**
 * The entry's path; null where there is no bundle, or a file that it was made of has changed since.
 *
 * @param {string} checkout
 * @returns {string | null}
 */
export function currentBundle(checkout) {
  const made = bundleMade(checkout);
  if (made === null) return null;
  const changed = (/** @type {string} */ path) => statSync(path, { throwIfNoEntry: false })?.ctimeMs;
  const entry = join(checkout, BUNDLE, ENTRY);
  const isCurrent = made.of.every((path) => (changed(join(checkout, path)) ?? made.at) < made.at);
  return isCurrent && changed(entry) !== undefined ? entry : null;
}

/**
 * @param {string} checkout
 * @returns {Made | null}
 */
export function bundleMade(checkout) {
  try {
    return JSON.parse(readFileSync(join(checkout, BUNDLE, MADE), "utf8"));
  } catch {
    return null;
  }
}
