/** Licences that restrict the use of a package are accepted before anything of it is downloaded or imported. */
import type { Package } from "../packages/package.ts";
import { ModelStoreError } from "./store-error.ts";

export function requireLicense(
  { name, license }: Pick<Package, "name" | "license">,
  accepted: boolean,
): void {
  if (!license.acceptance || accepted) return;
  throw new ModelStoreError(
    `${name} ${termsOf(license.spdx)}: ${license.url}\n` +
      `Read it; if you agree, run the command again with --accept-license.`,
  );
}

/** Of some voices only a model card says what may be done with them. */
function termsOf(spdx: string): string {
  if (spdx === "see-model-card") return "has the terms that its model card states";
  if (/^A?GPL-/.test(spdx)) return `is a program under ${spdx}, which is not a part of Loquat`;
  return `is under ${spdx}, which restricts its use`;
}
