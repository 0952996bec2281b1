/** Promise: the sums of the page Business are those of the ledger, in both databases. */
import { test } from "bun:test";
import { hasPostgres, postgresNodes, sqliteNodes } from "../contract/alerts/nodes.ts";
import { businessContract } from "../contract/ledger/business.ts";

businessContract("sqlite", sqliteNodes);
if (await hasPostgres()) businessContract("postgres", postgresNodes);
else test.skip("business in PostgreSQL (skipped: no server at 127.0.0.1:5432)", () => {});
