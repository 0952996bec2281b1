/** Promise: the address of Redis names a server or its sentinels, and what it does not say is left out. */
import { expect, test } from "bun:test";
import { redisAddress } from "../../src/config/redis-address.ts";

const NOTHING = { database: 0, username: null, password: null, sentinelPassword: null, isEncrypted: false };

test.each(["redis://cache", "rediss://:secret@cache:6380/2", "redis://[::1]:6379"])(
  "%s is a server",
  (url) => {
    expect(redisAddress(url)).toEqual({ url });
  },
);

test.each([
  [
    "redis+sentinel://a,b:26380,[::1]:26381/limits",
    {
      sentinels: [
        { host: "a", port: 26379 },
        { host: "b", port: 26380 },
        { host: "::1", port: 26381 },
      ],
      name: "limits",
    },
  ],
  [
    "rediss+sentinel://loquat:p%40ss@10.0.0.1/my%2Fname/3?sentinel_password=other%20one",
    {
      ...{ sentinels: [{ host: "10.0.0.1", port: 26379 }], name: "my/name", database: 3, isEncrypted: true },
      ...{ username: "loquat", password: "p@ss", sentinelPassword: "other one" },
    },
  ],
  ["redis+sentinel://:pass@a/x", { sentinels: [{ host: "a", port: 26379 }], name: "x", password: "pass" }],
])("%s are sentinels", (text, expected) => {
  expect(redisAddress(text)).toEqual({ ...NOTHING, ...expected } as never);
});

test.each([
  "",
  "cache:6379",
  "redis://",
  "http://cache",
  "redis+sentinel://a,b",
  "redis+sentinel:///limits",
  "redis+sentinel://a,,b/limits",
  "redis+sentinel://a:0/limits",
  "redis+sentinel://a:65536/limits",
  "redis+sentinel://a b/limits",
  "redis+sentinel://a/limits/first",
  "redis+sentinel://a/%zz",
  "redis+sentinel://a/limits?password=x",
])("%j is neither", (text) => {
  expect(redisAddress(text)).toBeNull();
});
