/** Model packages: what can be pulled onto this machine, and what is installed. */
import type { NodeReport } from "../../../cluster/node.ts";
import { devicesFor } from "../../../engine/devices.ts";
import { Refusal } from "../../../errors.ts";
import { voiceOf } from "../../../models/catalogue.ts";
import type { Package } from "../../../models/packages/package.ts";
import {
  openPackageAdmin,
  type PackageAdmin,
  type PackageState,
} from "../../../models/pull/package-admin.ts";
import { StoreLocked } from "../../../models/store/lock.ts";
import { ModelStoreError } from "../../../models/store/store-error.ts";
import type { operatorRoutes } from "../schema/operator-routes.ts";
import { type Handlers, notFound, orNotFound, type Reads } from "./handler.ts";

export type PackageDeps = Reads<
  "config" | "catalogue" | "cluster" | "registry" | "pulls" | "packageRequests"
>;

export function packageHandlers(deps: PackageDeps) {
  const { config, catalogue, cluster, registry, pulls, packageRequests } = deps;
  const { models, engine } = config;
  const packages = openPackageAdmin({
    places: models,
    hasGpu: devicesFor(engine.device).length > 0,
    pulls,
  });
  const recordOf = (state: PackageState) => ({
    ...packageRecord(state),
    sample: voiceOf(catalogue, state.package.name),
    nodes: cluster.nodes().map(({ id, report }) => ({
      id,
      installed_version: report.packages.find(({ name }) => name === state.package.name)?.version ?? null,
      pull: pullRecord(report.pulls.find(({ name }) => name === state.package.name)),
    })),
    local_speed:
      state.installedVersion === null ? null : (registry.speed(state.package.name) ?? state.measuredSpeed),
  });
  /** Whether the report of any node lists the package. */
  const atAnyNode = (listOf: (report: NodeReport) => { name: string }[], name: string): boolean =>
    cluster.nodes().some(({ report }) => listOf(report).some((each) => each.name === name));
  const find = (name: string) => orNotFound("package", packages.find(name));
  return {
    "GET /api/operator/models": async () => ({
      object: "list",
      data: packages.list().map(recordOf),
    }),
    "POST /api/operator/models/:package/pull": async ({ ids, body }) => {
      const { package: pkg, variants } = find(ids.package);
      const { variant = null } = body;
      if (variant !== null && !variants.some(({ name }) => name === variant)) throw notFound("variant");
      const accepted = body.accept_license ?? false;
      if (pkg.license.acceptance && !accepted) throw licenseRequired(pkg);
      if (pulls.state(pkg.name)?.status === "running") throw pullRunning(pkg);
      await packageRequests.install(pkg.name, { variant, licenseAccepted: accepted });
      return recordOf(find(ids.package));
    },
    "DELETE /api/operator/models/:package/pull": async ({ ids }) => {
      if (!atAnyNode(({ pulls }) => pulls, ids.package)) throw notFound("download");
      await packageRequests.cancel(ids.package, () => pulls.cancel(ids.package));
    },
    "DELETE /api/operator/models/:package": async ({ ids, query: { variant = null } }) => {
      const isElsewhere = variant === null && atAnyNode((report) => report.packages, ids.package);
      await packageRequests.remove(ids.package, variant, async () => {
        const isRemoved = await remove(packages, ids.package, variant);
        if (!isRemoved && !isElsewhere) throw notFound("package here");
      });
    },
  } satisfies Partial<Handlers<typeof operatorRoutes>>;
}

function packageRecord(state: PackageState) {
  const { package: pkg, sizeBytes, installedVersion, variants, isRecommended, task, pull } = state;
  const { name, title, version, family, license } = pkg;
  return {
    name,
    object: "package" as const,
    title,
    version,
    family,
    bytes: sizeBytes,
    license: { spdx: license.spdx, url: license.url, acceptance: license.acceptance },
    installed_version: installedVersion,
    variants: variants.map(({ name, sizeBytes, isInstalled }) => ({
      name,
      bytes: sizeBytes,
      installed: isInstalled,
    })),
    recommended: isRecommended,
    task,
    languages: languagesOf(pkg),
    voices: (pkg.voices ?? []).map(({ id, name, language, locale, gender, metadata }) => ({
      ...{ id, name, language, locale, gender },
      ...{ style: metadata.style ?? "", description: metadata.description ?? "" },
    })),
    speed: pkg.measured?.[0]?.speed ?? null,
    pull,
  };
}

const languagesOf = ({ languages = [], voices = [], recognition = [] }: Package): string[] => [
  ...new Set([
    ...languages,
    ...voices.map(({ language }) => language),
    ...recognition.flatMap((each) => each.languages),
  ]),
];

function pullRecord(pull: NodeReport["pulls"][number] | undefined) {
  if (!pull) return null;
  const { name: _, ...state } = pull;
  return { ...state, summary: state.summary ?? null, next_try_at: state.next_try_at ?? null };
}

const pullRunning = ({ name }: Package) => new Refusal("pull_running", `${name} is being pulled already.`);

const licenseRequired = ({ name, license: { spdx, url } }: Package) =>
  new Refusal(
    "license_required",
    `${name} is licensed under ${spdx}, which restricts its use: ${url}. Accept the license first.`,
  );

async function remove(packages: PackageAdmin, name: string, variant: string | null): Promise<boolean> {
  try {
    return await packages.remove(name, variant);
  } catch (error) {
    if (error instanceof StoreLocked) throw new Refusal("pull_running", error.message);
    if (error instanceof ModelStoreError)
      throw new Refusal("service_unavailable", error.message, { cause: error });
    throw error;
  }
}
