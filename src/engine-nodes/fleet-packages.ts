/** What is installed on this node and on its engine nodes, as one: the catalogue is made of it. */
import { EMBEDDED_FAMILIES } from "../engine/families/families.ts";
import type { Fleet } from "../engine/remote/fleet.ts";
import type { Offer } from "../engine/remote/messages.ts";
import { type Package, PackageError, parsePackage } from "../models/packages/package.ts";
import type { InstalledPackages, ModelStore } from "../models/store/model-store.ts";

type Offering = Pick<Fleet, "offers">;

/** An installation of this node goes before those of others. */
export function fleetPackages(store: ModelStore, fleet: Offering): InstalledPackages {
  const parsed = new Map<string, Package | null>();
  const packageOf = ({ manifest, name }: Offer): Package | null => {
    if (manifest === null) return null;
    const known = parsed.get(manifest);
    if (known !== undefined) return known;
    if (parsed.size > 1000) parsed.clear();
    const read = parse(name, manifest);
    parsed.set(manifest, read);
    return read;
  };
  const remote = () =>
    fleet.offers().flatMap((offer) => {
      const pkg = store.installed(offer.name) === null ? packageOf(offer) : null;
      return pkg ? [{ package: pkg }] : [];
    });
  return {
    installed: (name) => store.installed(name) ?? remote().find((each) => each.package.name === name) ?? null,
    list: () => [...store.list(), ...remote()],
  };
}

/** Embedded engines that nodes have. */
export const fleetFamilies = (fleet: Offering): string[] =>
  fleet.offers().flatMap(({ name }) => (Object.hasOwn(EMBEDDED_FAMILIES, name) ? [name] : []));

/** Null where this version cannot use it: a family that it does not know, or another name. */
function parse(name: string, manifest: string): Package | null {
  try {
    const read = parsePackage(name, manifest, true);
    return read.name === name ? read : null;
  } catch (error) {
    if (error instanceof PackageError) return null;
    throw error;
  }
}
