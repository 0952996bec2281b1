/** Licences that restrict the use of a package are accepted before anything of it is downloaded or imported. */
import type { Package } from "../package.ts";
import { ModelStoreError } from "./store-error.ts";

export function requireLicense(
  { name, license }: Pick<Package, "name" | "license">,
  accepted: boolean,
): void {
  if (!license.acceptance || accepted) return;
  throw new ModelStoreError(
    `${name} is under ${license.spdx}, which restricts its use: ${license.url}\n` +
      `Read it; if you agree, run the command again with --accept-license.`,
  );
}
