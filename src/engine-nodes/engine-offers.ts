/** What an engine node offers to API nodes: its packages that are engines, and the engines that need no package. */
import { createHash } from "node:crypto";
import { EMBEDDED_FAMILIES, familyOf, liveName } from "../engine/families/families.ts";
import type { EngineSpec } from "../engine/registry.ts";
import type { Offer } from "../engine/remote/messages.ts";
import type { Package } from "../models/packages/package.ts";
import { isComplete } from "../models/store/companions.ts";
import type { ModelStore } from "../models/store/model-store.ts";

type Installation = {
  store: ModelStore;
  embedded: ReadonlySet<string>;
  find: (name: string) => EngineSpec;
};

export function engineOffers({ store, embedded, find }: Installation): Offer[] {
  const sizeOf = (name: string) => find(name).options.size;
  const families = [...embedded].filter((name) => Object.hasOwn(EMBEDDED_FAMILIES, name));
  const names = new Set(families.flatMap((name) => [name, liveName(name)]));
  const packages = store.list().flatMap(({ package: pkg }) => {
    const { worker, stateful = false } = familyOf(pkg.family);
    if (worker === null || !isComplete(store, pkg.family)) return [];
    const { name } = pkg;
    return { name, identity: identityOf(pkg), manifest: JSON.stringify(pkg), stateful, size: sizeOf(name) };
  });
  return [
    ...[...names].map((name) => ({
      name,
      identity: name,
      manifest: null,
      stateful: false,
      size: sizeOf(name),
    })),
    ...packages,
  ];
}

/** Equal where an engine would return the same: name, version and every file with its hash. */
function identityOf({ name, version, files, options }: Package): string {
  const contents = files.map(({ role, path, sha256, variant }) => [role, path, sha256, variant]);
  const text = JSON.stringify([name, version, options, contents]);
  return `${name}@${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}
