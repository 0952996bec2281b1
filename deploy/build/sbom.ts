/** The bill of materials of an executable, in the format CycloneDX 1.6. */
import { Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";
import type { Component } from "./components.ts";

/** `sha256`: of the executable. */
export type Product = { name: string; version: string; sha256: string };

export function sbomOf({ name, version, sha256 }: Product, components: readonly Component[]): string {
  const product = new Models.Component(Enums.ComponentType.Application, name, {
    version,
    licenses: new Models.LicenseRepository([new Models.SpdxLicense("Apache-2.0")]),
    hashes: new Models.HashDictionary([[Enums.HashAlgorithm["SHA-256"], sha256]]),
  });
  const bom = new Models.Bom({ metadata: new Models.Metadata({ component: product }) });
  for (const each of components) bom.components.add(componentOf(each));
  const factory = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  return new Serialize.JsonSerializer(factory).serialize(bom, { sortLists: true, space: 2 });
}

function componentOf({ name, version, license, isPackage }: Component) {
  return new Models.Component(Enums.ComponentType.Library, name, {
    ...(version === null ? {} : { version }),
    ...(isPackage ? { purl: purlOf(name, version!) as never } : {}),
    licenses: new Models.LicenseRepository([new Models.LicenseExpression(license)]),
  });
}

/** A package URL of npm; a scope is encoded. Source: the package-url specification. */
const purlOf = (name: string, version: string) => `pkg:npm/${name.replace("@", "%40")}@${version}`;
