/** Model packages: what can be pulled onto this machine, and what is installed. */
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
import { type Handlers, type ManagementDeps, notFound, orNotFound } from "./handler.ts";

export function packageHandlers({ config, catalogue, registry, pulls, log }: ManagementDeps) {
  const { models, engine } = config;
  const packages = openPackageAdmin({
    manifests: models.folder,
    weights: models.weights,
    hasGpu: devicesFor(engine.device).length > 0,
    pulls,
  });
  const recordOf = (state: PackageState) => ({
    ...packageRecord(state),
    sample: voiceOf(catalogue, state.package.name),
    local_speed: state.installedVersion === null ? null : registry.speed(state.package.name),
  });
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
      const pulled = pulls.start(pkg, {
        licenseAccepted: accepted,
        variant,
        notice: (notice) => log.info("package_pull_notice", { package: pkg.name, notice }),
      });
      if (!pulled) throw new Refusal("pull_running", `${pkg.name} is being pulled already.`);
      pulled.catch((cause) => log.warn("package_pull_failed", { package: pkg.name, cause }));
      return recordOf(find(ids.package));
    },
    "DELETE /api/operator/models/:package/pull": async ({ ids }) => {
      if (!pulls.cancel(ids.package)) throw notFound("download");
    },
    "DELETE /api/operator/models/:package": async ({ ids, query: { variant = null } }) => {
      if (!(await remove(packages, ids.package, variant))) throw notFound("package here");
    },
  } satisfies Partial<Handlers<typeof operatorRoutes>>;
}

function packageRecord(state: PackageState) {
  const { package: pkg, sizeBytes, installedVersion, variants, isRecommended, pull } = state;
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
    languages: languagesOf(pkg),
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
