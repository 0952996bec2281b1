/** What whoever runs this server sees of it and may change: organizations, packages, and how the process is. */
import { version } from "../../../../package.json";
import type { Organization } from "../../../accounts/organizations.ts";
import { devicesFor } from "../../../engine/devices.ts";
import type { EngineRegistry } from "../../../engine/registry.ts";
import { Fault, invalidBody } from "../../../errors.ts";
import { giveCredit } from "../../../ledger/adjustment.ts";
import type { Credit } from "../../../ledger/ledger.ts";
import { LIMIT_NAMES, limitsRecord, tierOf } from "../../../limits/limits.ts";
import type { Catalogue } from "../../../models/catalogue.ts";
import { filesOf, type Package, readPackages } from "../../../models/package.ts";
import { inLock, StoreLocked } from "../../../models/store/lock.ts";
import { openModelStore } from "../../../models/store/model-store.ts";
import { chooseVariant } from "../../../models/store/pull.ts";
import { recommended, thisMachine } from "../../../models/store/recommend.ts";
import { ModelStoreError } from "../../../models/store/store-error.ts";
import { remove } from "../../../models/store/store-writer.ts";
import type { operatorRoutes } from "../schema/operator-routes.ts";
import { type Handlers, listed, type ManagementDeps, notFound, orNotFound } from "./handler.ts";
import { requestRecord } from "./usage-handlers.ts";

const FAILURES_SHOWN = 20;

type OperatorHandlers = Handlers<typeof operatorRoutes>;

export function operatorHandlers(parts: ManagementDeps): OperatorHandlers {
  return { ...tenantHandlers(parts), ...packageHandlers(parts), ...statusHandlers(parts) };
}

function tenantHandlers({ accounts, ledger, clock }: ManagementDeps) {
  const shown = async (organization: Organization | null) => {
    const tenant = orNotFound("organization", organization);
    const members = (await accounts.memberCounts()).get(tenant.id) ?? 0;
    return tenantRecord(tenant, { ...(await ledger.credit(tenant.id)), members });
  };
  return {
    "GET /api/operator/organizations": async () => {
      const [all, creditOf, members] = await Promise.all([
        accounts.listOrganizations(),
        ledger.credits(),
        accounts.memberCounts(),
      ]);
      return listed(
        all.map((one) => tenantRecord(one, { ...creditOf(one.id), members: members.get(one.id) ?? 0 })),
      );
    },
    "PATCH /api/operator/organizations/:tenant": async ({ ids: { tenant }, body }) => {
      const { limit_overrides: own, monthly_spending_limit_micros: monthly } = body;
      const limits = own ? limitsIn(own) : null;
      orNotFound("organization", await accounts.organization(tenant));
      if (own !== undefined) await accounts.setLimits(tenant, limits);
      if (monthly !== undefined) await ledger.setMonthlyLimit(tenant, monthly);
      return shown(await accounts.organization(tenant));
    },
    "POST /api/operator/organizations/:tenant/credit": async ({ ids: { tenant }, body }) => {
      const organization = orNotFound("organization", await accounts.organization(tenant));
      const { amount_micros: amountMicros, days = null, idempotency_key: idempotencyKey = null } = body;
      const wanted = { organizationId: tenant, amountMicros, days, idempotencyKey };
      if (!(await giveCredit(ledger, wanted, clock))) throw keyReused();
      return shown(organization);
    },
  } satisfies Partial<OperatorHandlers>;
}

const keyReused = () =>
  new Fault("idempotency_key_reused", "Other credit was given under this idempotency_key. Use another.", {
    param: "idempotency_key",
  });

function tenantRecord(
  { id, name, createdAt, limitOverrides }: Organization,
  { members, ...credit }: Credit & { members: number },
) {
  return {
    id,
    object: "organization" as const,
    name,
    tier: tierOf(credit.purchasedMicros),
    created_at: createdAt,
    members,
    balance_micros: credit.balanceMicros,
    overdraft_micros: credit.overdraftMicros,
    month_to_date_micros: credit.monthMicros,
    monthly_spending_limit_micros: credit.monthlyLimitMicros,
    limit_overrides: limitOverrides && limitsRecord(limitOverrides),
  };
}

/** Null where none is given: the tier's count then. */
function limitsIn(own: Partial<Record<keyof typeof LIMIT_NAMES, number>>): Record<string, number> | null {
  const given = Object.entries(LIMIT_NAMES).flatMap(([name, limit]) => {
    const value = own[name as keyof typeof LIMIT_NAMES];
    return value === undefined ? [] : [{ name, limit, value }];
  });
  const wrong = given.filter(({ value }) => value < 0 || !Number.isSafeInteger(value));
  if (wrong.length > 0) throw invalidBody(wrong.map(({ name }) => outOfRange(`limit_overrides.${name}`)));
  return given.length > 0 ? Object.fromEntries(given.map(({ limit, value }) => [limit, value])) : null;
}

const outOfRange = (field: string) => ({
  field,
  code: "out_of_range" as const,
  message: "must be 0 or more, and a number that can be counted",
});

function packageHandlers({ config, pulls, log }: ManagementDeps) {
  const { models, engine } = config;
  const gpu = devicesFor(engine.device).length > 0;
  const wise = recommended(thisMachine(gpu));
  const store = openModelStore(models.weights);
  const known = (name: string) => orNotFound("package", readPackages(models.folder).get(name) ?? null);
  const shown = (own: Package) => {
    const { name, title, family, license } = own;
    const installed = store.installed(name)?.package;
    const variant = chooseVariant(own, { device: gpu ? "gpu" : "cpu", variant: null });
    return {
      name,
      object: "package" as const,
      title,
      version: own.version,
      family,
      bytes: bytesOf(installed?.files ?? filesOf(own, variant)),
      license: { spdx: license.spdx, url: license.url, acceptance: license.acceptance },
      installed_version: installed?.version ?? null,
      recommended: wise.includes(name),
      pull: pulls.state(name),
    };
  };
  return {
    "GET /api/operator/models": async () => ({
      object: "list",
      data: [...readPackages(models.folder).values()].map(shown),
    }),
    "POST /api/operator/models/:package/pull": async ({ ids, body }) => {
      const own = known(ids.package);
      const accepted = body.accept_license ?? false;
      if (own.license.acceptance && !accepted) throw licenseRequired(own);
      const ended = pulls.start(own, accepted);
      if (!ended) throw new Fault("pull_running", `${own.name} is being pulled already.`);
      ended.catch((cause) => log.warn("pull failed", { package: own.name, cause }));
      return shown(own);
    },
    "DELETE /api/operator/models/:package": async ({ ids }) => {
      if (!(await removed(models.weights, ids.package))) throw notFound("package here");
    },
  } satisfies Partial<OperatorHandlers>;
}

/** Null where the sources are to say it. */
function bytesOf(files: Package["files"]): number | null {
  const sizes = files.flatMap(({ bytes }) => bytes ?? []);
  return sizes.length === files.length ? sizes.reduce((sum, bytes) => sum + bytes, 0) : null;
}

const licenseRequired = ({ name, license: { spdx, url } }: Package) =>
  new Fault(
    "license_required",
    `${name} is under ${spdx}, which restricts its use: ${url}. Accept it first.`,
  );

async function removed(weights: string, name: string): Promise<boolean> {
  try {
    return await inLock(weights, () => remove(weights, name));
  } catch (error) {
    if (error instanceof StoreLocked) throw new Fault("pull_running", error.message);
    if (error instanceof ModelStoreError)
      throw new Fault("service_unavailable", error.message, { cause: error });
    throw error;
  }
}

function statusHandlers({ config, catalogue, registry, metrics, ledger }: ManagementDeps) {
  return {
    "GET /api/operator/status": async () => ({
      object: "status",
      version,
      runtime: `Bun ${Bun.version}`,
      uptime_seconds: Math.floor(process.uptime()),
      memory_bytes: process.memoryUsage.rss(),
      database: config.data.url === null ? "sqlite" : "postgres",
      limits: config.data.limitsUrl === null ? "memory" : "redis",
      models: catalogue.entries.map((entry) => ({ id: entry.id, version: entry.version?.version ?? null })),
      engines: enginesOf(catalogue, registry),
      counters: metrics.counters(),
      errors: (await ledger.recentErrors(FAILURES_SHOWN)).map(requestRecord),
    }),
  } satisfies Partial<OperatorHandlers>;
}

/** Those that can run here and those that do. One that is being replaced counts with what replaces it. */
function enginesOf(catalogue: Catalogue, registry: EngineRegistry) {
  const engines = new Map(
    runnableIn(catalogue).map((name) => [name, { name, running: 0, waiting: 0, loaded: false }]),
  );
  for (const { name, running, waiting } of registry.loads()) {
    const sum = engines.get(name) ?? { name, running: 0, waiting: 0, loaded: true };
    engines.set(name, {
      name,
      running: sum.running + running,
      waiting: sum.waiting + waiting,
      loaded: true,
    });
  }
  return [...engines.values()];
}

const runnableIn = ({ entries }: Catalogue): string[] =>
  entries.flatMap(({ version }) => {
    if (version === null) return [];
    return (version.type === "tts" ? version.voices : version.hearing.engines).map(({ engine }) => engine);
  });
