/** Fresh accounts for each test of a contract, on a held clock: an organization with its first project and key. */
import { afterEach, beforeEach } from "bun:test";
import { type Accounts, openAccounts } from "../../../src/accounts/accounts.ts";
import type { Database } from "../../../src/db/database.ts";
import { heldClock } from "../../harness.ts";

/** An empty database that outlives its connections. */
export type AccountFixture = AsyncDisposable & {
  open(): Promise<Database>;
  /** Everything it has stored, as text. */
  stored(): Promise<string>;
};

type Fresh = {
  fixture: AccountFixture;
  database: Database;
  accounts: Accounts;
  clock: ReturnType<typeof heldClock>;
  first: { id: string; secret: string };
  organizationId: string;
  /** The project of the first key. */
  home: string;
};

/** `begin` receives what each test is about. */
export function freshAccounts(prepare: () => Promise<AccountFixture>, begin: (fresh: Fresh) => void): void {
  let fixture: AccountFixture;
  let database: Database;
  beforeEach(async () => {
    fixture = await prepare();
    database = await fixture.open();
    const clock = heldClock();
    const accounts = openAccounts(database, clock);
    const { key: first, organizationId } = (await accounts.firstStart())!;
    const home = (await accounts.defaultProject(organizationId))!.id;
    begin({ fixture, database, accounts, clock, first, organizationId, home });
  });
  afterEach(async () => {
    await database[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });
}

/** Another key, of the test environment. */
export const newKeyOf = (accounts: Accounts, projectId: string, expiresAt: number | null = null) =>
  accounts.createKey({
    ...{ projectId, name: "another", environment: "test", expiresAt },
    scopes: ["catalog:read"],
  });
