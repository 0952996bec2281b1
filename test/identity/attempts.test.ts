/** Promise: who has a network of addresses counts once. */
import { expect, test } from "bun:test";
import { networkOf } from "../../src/identity/attempts.ts";

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::9", "2001:db8:1:2::/64"],
  ["2001:0db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  [null, "unknown"],
])("%s is %s", (ip, network) => {
  expect(networkOf(ip)).toBe(network);
});
