/** Promise: spend alerts in PostgreSQL keep the same contract, for several nodes. */
import { test } from "bun:test";
import { balanceAlertContract } from "../contract/alerts/balance.ts";
import { alertContract } from "../contract/alerts/going-off.ts";
import { hasPostgres, postgresNodes } from "../contract/alerts/nodes.ts";
import { recipientContract } from "../contract/alerts/recipients.ts";
import { toldAlertContract } from "../contract/alerts/telling.ts";

if (await hasPostgres()) {
  alertContract("postgres", postgresNodes);
  toldAlertContract("postgres", postgresNodes);
  balanceAlertContract("postgres", postgresNodes);
  recipientContract("postgres", postgresNodes);
} else test.skip("spend alerts in PostgreSQL (skipped: no server at 127.0.0.1:5432)", () => {});
