/** Promise: browsers are recognized by their user agents, although those contain each other's names. */
import { expect, test } from "bun:test";
import { browserOf } from "../../src/web/account/browser.ts";

const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)";

test.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36`, "Chrome on Linux"],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/141.0 Safari/537.36 Edg/141.0`,
    "Edge on Windows",
  ],
  [`Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/141.0 Mobile Safari/537.36`, "Chrome on Android"],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0", "Firefox on Linux"],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.6 Safari/605.1.15",
    "Safari on macOS",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Version/18.6 Safari/604.1",
    "Safari on iOS",
  ],
  ["curl/8.14.1", "curl"],
  ["", "Unknown browser"],
  [null, "Unknown browser"],
])("%p is %s", (userAgent, name) => {
  expect(browserOf(userAgent)).toBe(name);
});
