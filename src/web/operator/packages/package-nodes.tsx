/** On which nodes a package is installed, where they differ. */
import type { Package } from "./package.ts";

export function PackageNodes({ item: { nodes } }: { item: Package }) {
  const missing = nodes.filter(({ installed_version }) => installed_version === null);
  if (missing.length === 0 || missing.length === nodes.length) return null;
  const names = missing.map(({ id, pull }) => (pull ? `${id} (${textOf(pull)})` : id)).join(", ");
  return (
    <p className="hint">
      Installed on {nodes.length - missing.length} of {nodes.length} nodes, not on {names}.
    </p>
  );
}

function textOf({ status, message, bytes, total }: NonNullable<Package["nodes"][number]["pull"]>): string {
  if (status === "failed") return message ?? "failed";
  return total > 0 ? `${Math.floor((100 * bytes) / total)} %` : "queued";
}
