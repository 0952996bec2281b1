/**
 * The real server with an engine that responds immediately, so that only the overhead is measured.
 *
 * `bun bench/requests/instant.ts '{"organizations": 1, "events": 0, "metered": true}'` prints its port and a key per
 * organization as a line of JSON.
 */

import { unixSeconds } from "../../src/clock.ts";
import { readConfig } from "../../src/config/config.ts";
import { raisedOnce } from "../../src/db/queries/event-rows.ts";
import type { Hypothesis } from "../../src/engine/protocol/recognition.ts";
import type { Task } from "../../src/engine/protocol/task.ts";
import { openRaising } from "../../src/events/raising.ts";
import type { Plan } from "../../src/plans.ts";
import type { NewRestrictions } from "../../src/restrictions.ts";
import { SCOPES } from "../../src/scopes.ts";
import { buildApp } from "../../src/server/app.ts";
import { openServices, type Services } from "../../src/server/services.ts";
import type { Meter } from "../../src/usage/meter.ts";
import type { Work } from "../../src/usage/work.ts";
import { inParallel } from "../harness/row.ts";
import { plant, type Seeds } from "./seeds.ts";

/**
 * `keys`: of each organization, one unless said. `plan`: prepaid, unless said. `seeds`: rows that the database has already. `metered`: without it the route
 * neither limits nor charges nor logs. `capped`: what of each organization has a budget, limits and a list of models of its own.
 * `told`: where 500 events a second are sent, while spend alerts watch each charge.
 */
export type InstantOptions = {
  organizations: number;
  keys?: number;
  plan?: Plan | undefined;
  seeds?: Seeds;
  metered: boolean;
  capped?: Capped[];
  told?: string;
};

/** `both`: the key and its project. */
export type Capped = "nothing" | "key" | "both";

const SOUND = new Float32Array(240).fill(0.1);
const HYPOTHESIS: Hypothesis = {
  start: 0,
  end: 0.1,
  words: [{ text: "yes", start: 0, end: 0.1, confidence: 1 }],
};
const UNLIMITED = {
  requestsPerMinute: 1e7,
  concurrentRequests: 1e4,
  ttsCharactersPerMinute: 1e9,
  sttSecondsPerMinute: 1e9,
};

const CAPS: NewRestrictions = {
  budget: { limit_micros: 1e12, interval: "month" },
  limits: { requests_per_minute: 1e7, tts_characters_per_minute: 1e9, stt_seconds_per_minute: 1e9 },
  models: { mode: "allow_list", ids: ["svc-tts1"] },
};

const AT_ONCE = 50; // organizations that are made at once

const EVENTS_PER_TURN = 10; // with the next line: 500 a second
const TURN_MS = 20;
const ALERTS = 20;

const nothing = async () => {};
const work: Work = {
  trace: null,
  replays: { of: null, requestId: "req", unlessReplay: async (check) => check(), settle: async () => {} },
  admit: nothing,
  identify: nothing,
  take: nothing,
  note() {},
  post: nothing,
  isCharging: () => false,
  owe: nothing,
  refund() {},
  checkCredit: nothing,
  noteProgress() {},
  started() {},
  end() {},
};
const unmetered: Meter = {
  open: ({ ended }) => ({ ...work, end: () => ended?.() }), // what the request holds is released
  takeRequest: nothing,
  [Symbol.asyncDispose]: nothing,
};

if (import.meta.main) await serve(JSON.parse(process.argv[2]!) as InstantOptions);

/** Says the same word of every recording. */
async function instantly(task: Task): Promise<unknown> {
  if (task.kind !== "recognition") return SOUND.slice();
  task.port.postMessage(HYPOTHESIS);
  return 1;
}

async function serve(options: InstantOptions): Promise<void> {
  const { organizations, keys: keysOfEach = 1, plan, seeds = {}, metered, capped = [], told } = options;
  const config = readConfig();
  const parts = await openServices(config);
  const keys: string[] = [];
  await inParallel(AT_ONCE, organizations, async (turn) => {
    keys[turn] = await richOrganization(parts, `Bench ${turn}`, { capped: capped[turn], plan });
  });
  await inParallel(AT_ONCE, organizations, async (turn) => {
    const { organizationId } = await parts.accounts.authenticate(keys[turn]!);
    for (let key = 1; key < keysOfEach; key++) keys.push(await keyOf(parts, organizationId));
  });
  await plant(config.data.folder, seeds);
  await parts.aliases.refresh();
  if (told) await tell(parts, told);
  const registry = { ...parts.registry, engine: () => ({ run: instantly }) } as Services["registry"];
  const instant = {
    ...parts,
    registry,
    synthesizer: { ...parts.synthesizer, registry },
    meter: metered ? parts.meter : unmetered,
  };
  const app = buildApp(instant).listen({ hostname: "127.0.0.1", port: 0 });
  process.stdout.write(`${JSON.stringify({ port: app.server!.port, keys })}\n`);
}

/** Of the first organization that has a grant: its endpoint, its alerts, and its events from now on. */
async function tell({ accounts, database, webhooks, spendAlerts, clock }: Services, url: string) {
  const organizationId = (await accounts.listOrganizations()).find(({ name }) => name === "Bench 0")!.id;
  const whole = { organizationId, projectId: null };
  await webhooks.create({ ...whole, name: "bench", url, eventTypes: ["project.archived", "spend.alert"] });
  for (let alert = 1; alert <= ALERTS; alert++)
    await spendAlerts.create(
      { ...whole, keyId: null },
      {
        ...{ threshold: { amountMicros: alert * 100_000 }, channel: "webhook", recipients: [] },
        subjectPrefix: null,
      },
    );
  const raise = openRaising(clock);
  let isBusy = false; // a store that falls behind gets no more than it takes
  let turn = 0;
  setInterval(async () => {
    if (isBusy) return;
    isBusy = true;
    for (let count = 0; count < EVENTS_PER_TURN; count++) {
      const once = { key: `bench ${turn++}`, at: unixSeconds(clock) };
      const event = { type: "project.archived", organizationId, data: { id: "proj_bench" }, once } as const;
      await raisedOnce(database, raise(event));
    }
    database.raised?.();
    isBusy = false;
  }, TURN_MS);
}

export async function richOrganization(
  { accounts, ledger }: Pick<Services, "accounts" | "ledger">,
  name: string,
  { capped, plan }: Pick<InstantOptions, "plan"> & { capped?: Capped | undefined } = {},
): Promise<string> {
  const { id } = await accounts.createOrganization(name, plan && { plan });
  await accounts.setLimits(id, UNLIMITED);
  await ledger.setMonthlyLimit(id, null);
  await ledger.grant({
    id: `grant_${id}`,
    organizationId: id,
    kind: "adjustment",
    amountMicros: 1e12,
    createdAt: 0,
    expiresAt: null,
    topUpId: null,
  });
  return keyOf({ accounts }, id, capped);
}

async function keyOf(
  { accounts }: Pick<Services, "accounts">,
  organizationId: string,
  capped: Capped = "nothing",
): Promise<string> {
  const [project] = await accounts.listProjects(organizationId);
  const key = await accounts.createKey({
    projectId: project!.id,
    name: "bench",
    environment: "live",
    scopes: SCOPES,
    expiresAt: null,
    restrictions: capped === "nothing" ? null : CAPS,
  });
  if (capped === "both") await accounts.updateProject(project!.id, { restrictions: CAPS });
  return key.secret;
}
