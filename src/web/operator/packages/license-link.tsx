/** The licence of a package, on its publisher's page. */
import type { Package } from "./package.ts";

export const LicenseLink = ({ of: { name, license } }: { of: Package }) => (
  <a
    href={license.url}
    target="_blank"
    rel="noreferrer"
    aria-label={`Licence of ${name}: ${license.spdx}, in a new tab`}
  >
    {license.spdx}
  </a>
);
