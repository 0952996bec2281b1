/** Whether a package is installed, how far its download is, or why it failed. */
import { bytes } from "../lib/format.ts";
import { Badge } from "../ui/page.tsx";
import type { Package } from "./package.ts";

export const isPulling = ({ pull }: Package) => pull?.status === "running";

export function PackageState({ item: { name, pull, installed_version } }: { item: Package }) {
  if (pull?.status === "running")
    return (
      <>
        <progress
          className="bar"
          aria-label={`Pulling ${name}`}
          {...(pull.total > 0 ? { max: pull.total, value: pull.bytes } : {})}
        />
        <small>{pull.total > 0 ? `${bytes(pull.bytes)} of ${bytes(pull.total)}` : "Queued"}</small>
      </>
    );
  return (
    <span role="status">
      {pull?.status === "failed" && (
        <>
          <Badge tone="bad">Failed</Badge> <small className="second-line">{pull.message}</small>
        </>
      )}
      {!pull &&
        (installed_version === null ? <Badge>Not installed</Badge> : <Badge tone="good">Installed</Badge>)}
    </span>
  );
}
