/** Promise: only a trusted proxy is believed, and only what it heard itself. */
import { expect, test } from "bun:test";
import { openCallers } from "../../../src/api/middleware/client-address.ts";

const PROXIES = ["10.0.0.1", "10.0.0.2", "fd00::1"];

test.each([
  ["nobody is trusted", [], "10.0.0.1", "203.0.113.7", "10.0.0.1"],
  ["a stranger is not believed", PROXIES, "198.51.100.1", "203.0.113.7", "198.51.100.1"],
  ["a proxy is", PROXIES, "10.0.0.1", "203.0.113.7", "203.0.113.7"],
  ["a proxy on a socket for both kinds too", PROXIES, "::ffff:10.0.0.1", "203.0.113.7", "203.0.113.7"],
  ["two in a row", PROXIES, "10.0.0.1", "203.0.113.7, 10.0.0.2", "203.0.113.7"],
  ["what a client wrote before is not", PROXIES, "10.0.0.1", "1.2.3.4, 203.0.113.7", "203.0.113.7"],
  ["IPv6", PROXIES, "fd00::1", "2001:db8::5", "2001:db8::5"],
  ["a network of proxies", ["10.0.0.0/8"], "10.9.9.9", "203.0.113.7, 10.1.2.3", "203.0.113.7"],
  ["what is beside a network is not one of it", ["10.0.0.0/8"], "11.0.0.1", "203.0.113.7", "11.0.0.1"],
  ["a network of IPv6", ["fd00::/8"], "fd12::1", "2001:db8::5, fdff::2", "2001:db8::5"],
  ["an address written otherwise", ["FD00:0::1"], "fd00::1", "203.0.113.7", "203.0.113.7"],
  ["a proxy that says nothing", PROXIES, "10.0.0.1", null, "10.0.0.1"],
  ["a proxy that says nonsense", PROXIES, "10.0.0.1", "unknown", "10.0.0.1"],
])("%s", (_what, proxies, address, forwarded, caller) => {
  const headers = new Headers(forwarded === null ? {} : { "x-forwarded-for": forwarded });
  const server = { requestIP: () => ({ address }) };
  expect(openCallers(proxies)(new Request("http://loquat/", { headers }), server)).toBe(caller);
});

test("a socket that is gone has no address", () => {
  expect(openCallers(PROXIES)(new Request("http://loquat/"), { requestIP: () => null })).toBeNull();
});
