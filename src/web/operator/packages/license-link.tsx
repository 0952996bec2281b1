/** The licence of a package, on its publisher's page. */
import { packagesTexts } from "../../language/en/packages.ts";
import type { Package } from "./package.ts";

export const LicenseLink = ({ of: { name, license } }: { of: Package }) => (
  <a
    href={license.url}
    target="_blank"
    rel="noreferrer"
    aria-label={packagesTexts()("licence", { name, licence: license.spdx })}
  >
    {license.spdx}
  </a>
);
