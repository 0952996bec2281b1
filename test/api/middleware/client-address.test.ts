/** Promise: only trusted proxies are believed, and only about the address that they saw. */
import { expect, test } from "bun:test";
import { openCallers } from "../../../src/api/middleware/caller.ts";

const PROXIES = ["10.0.0.1", "10.0.0.2", "fd00::1"];

test.each([
  ["a server that trusts no proxy", [], "10.0.0.1", "203.0.113.7", "10.0.0.1"],
  ["a header from an untrusted address", PROXIES, "198.51.100.1", "203.0.113.7", "198.51.100.1"],
  ["a header from a proxy", PROXIES, "10.0.0.1", "203.0.113.7", "203.0.113.7"],
  ["a proxy with an IPv4-mapped address", PROXIES, "::ffff:10.0.0.1", "203.0.113.7", "203.0.113.7"],
  ["two proxies in a row", PROXIES, "10.0.0.1", "203.0.113.7, 10.0.0.2", "203.0.113.7"],
  ["a header that the client had set", PROXIES, "10.0.0.1", "1.2.3.4, 203.0.113.7", "203.0.113.7"],
  ["an IPv6 client", PROXIES, "fd00::1", "2001:db8::5", "2001:db8::5"],
  ["a network of proxies", ["10.0.0.0/8"], "10.9.9.9", "203.0.113.7, 10.1.2.3", "203.0.113.7"],
  ["an address outside the network of proxies", ["10.0.0.0/8"], "11.0.0.1", "203.0.113.7", "11.0.0.1"],
  ["an IPv6 network of proxies", ["fd00::/8"], "fd12::1", "2001:db8::5, fdff::2", "2001:db8::5"],
  ["a proxy configured in another notation", ["FD00:0::1"], "fd00::1", "203.0.113.7", "203.0.113.7"],
  ["a proxy that sends no header", PROXIES, "10.0.0.1", null, "10.0.0.1"],
  ["a proxy that sends no address", PROXIES, "10.0.0.1", "unknown", "10.0.0.1"],
])("the client address is correct for %s", (_what, proxies, address, forwarded, caller) => {
  const headers = new Headers(forwarded === null ? {} : { "x-forwarded-for": forwarded });
  const server = { requestIP: () => ({ address }) };
  expect(openCallers(proxies)(new Request("http://loquat/", { headers }), server)).toBe(caller);
});

test("a closed socket has no address", () => {
  expect(openCallers(PROXIES)(new Request("http://loquat/"), { requestIP: () => null })).toBeNull();
});
