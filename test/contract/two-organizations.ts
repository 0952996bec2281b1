/** A fresh database with two organizations for each test of a contract, on a held clock. */
import { afterEach, beforeEach } from "bun:test";
import { openAccounts } from "../../src/accounts/accounts.ts";
import type { Database } from "../../src/db/database.ts";
import type { heldClock } from "../harness.ts";
import type { AccountFixture } from "./accounts/fresh-accounts.ts";

type Two = {
  fixture: AccountFixture;
  database: Database;
  mine: string;
  theirs: string;
};

/** `begin` receives what each test is about. */
export function twoOrganizations(
  prepare: () => Promise<AccountFixture>,
  clock: ReturnType<typeof heldClock>,
  begin: (two: Two) => void,
): void {
  let fixture: AccountFixture;
  let database: Database;
  beforeEach(async () => {
    fixture = await prepare();
    database = await fixture.open();
    const accounts = openAccounts(database, clock);
    await accounts.firstStart("prepaid");
    const mine = (await accounts.createOrganization("Mine")).id;
    const theirs = (await accounts.createOrganization("Theirs")).id;
    begin({ fixture, database, mine, theirs });
  });
  afterEach(async () => {
    await database[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });
}
