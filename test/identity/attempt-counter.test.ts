/** Promise: attempts are counted, a network of IPv6 addresses counts once, and sites are those of one holder. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { openSqlite } from "../../src/db/open-sqlite.ts";
import { networksOf, openAttemptCounter } from "../../src/identity/attempt-counter.ts";
import { heldClock } from "../harness.ts";

test.each([
  ["203.0.113.7", "203.0.113.7", "203.0.113.0/24"],
  ["::ffff:203.0.113.7", "203.0.113.7", "203.0.113.0/24"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["2001:DB8:1:2::9", "2001:db8:1:2::/64", "2001:db8:1::/48"],
  ["2001:0db8::1", "2001:db8:0:0::/64", "2001:db8:0::/48"],
  ["::1", "0:0:0:0::/64", "0:0:0::/48"],
  [null, "unknown", null],
])("%s is of the network %s and the site %s", (ip, network, site) => {
  expect(networksOf(ip)).toEqual({ network, site });
});

test("attempts are counted without a write to the embedded database", async () => {
  const folder = mkdtempSync(join(tmpdir(), "loquat-attempts-"));
  await using database = openSqlite(folder);
  const clock = heldClock();
  const attempts = openAttemptCounter(database, clock);
  const bound = { most: 2, windowSeconds: 60 };
  await attempts.refuse("sign-in", "one", bound);
  await attempts.refuse("sign-in", "one", bound);
  await expect(attempts.refuse("sign-in", "one", bound)).rejects.toMatchObject({ retryAfterSeconds: 60 });
  await expect(attempts.check("sign-in", "one", bound)).rejects.toMatchObject({ retryAfterSeconds: 60 });
  await attempts.check("sign-in", "another", bound);
  expect([await attempts.count("sign-in", "another"), await attempts.count("another", "one")]).toEqual([
    1, 1,
  ]);
  clock.pass(60_000);
  await attempts.check("sign-in", "one", bound);
  expect(await attempts.count("sign-in", "one", 60)).toBe(1);
  await attempts.forget("sign-in", "one");
  expect(await attempts.count("sign-in", "one", 60)).toBe(1);
  expect(database.sqlite.get<unknown>(sql`select count(*) as kept from main.attempt`)).toEqual({ kept: 0 });
  rmSync(folder, { recursive: true });
});
