/** Model packages: what can be pulled onto this machine, and what is installed. */
import { devicesFor } from "../../../engine/devices.ts";
import { Refusal } from "../../../errors.ts";
import { voiceOf } from "../../../models/catalogue.ts";
import type { Package } from "../../../models/package.ts";
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
      const { package: wanted } = find(ids.package);
      const accepted = body.accept_license ?? false;
      if (wanted.license.acceptance && !accepted) throw licenseRequired(wanted);
      const pulled = pulls.start(wanted, {
        licenseAccepted: accepted,
        notice: (notice) => log.info("package_pull_notice", { package: wanted.name, notice }),
      });
      if (!pulled) throw new Refusal("pull_running", `${wanted.name} is being pulled already.`);
      pulled.catch((cause) => log.warn("package_pull_failed", { package: wanted.name, cause }));
      return recordOf(find(ids.package));
    },
    "DELETE /api/operator/models/:package/pull": async ({ ids }) => {
      if (!pulls.cancel(ids.package)) throw notFound("download");
    },
    "DELETE /api/operator/models/:package": async ({ ids }) => {
      if (!(await remove(packages, ids.package))) throw notFound("package here");
    },
  } satisfies Partial<Handlers<typeof operatorRoutes>>;
}

function packageRecord({ package: own, sizeBytes, installedVersion, isRecommended, pull }: PackageState) {
  const { name, title, version, family, license } = own;
  return {
    name,
    object: "package" as const,
    title,
    version,
    family,
    bytes: sizeBytes,
    license: { spdx: license.spdx, url: license.url, acceptance: license.acceptance },
    installed_version: installedVersion,
    recommended: isRecommended,
    languages: languagesOf(own),
    speed: own.measured?.find(({ speed }) => speed !== undefined)?.speed ?? null,
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

async function remove(packages: PackageAdmin, name: string): Promise<boolean> {
  try {
    return await packages.remove(name);
  } catch (error) {
    if (error instanceof StoreLocked) throw new Refusal("pull_running", error.message);
    if (error instanceof ModelStoreError)
      throw new Refusal("service_unavailable", error.message, { cause: error });
    throw error;
  }
}
