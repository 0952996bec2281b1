/** Says that the server does not answer, and since when, or that it was updated. */
import { useEffect, useRef } from "react";
import { refreshAll } from "../api/queries.ts";
import { useConnection } from "../browser/use-connection.ts";
import { clockTime } from "../format/times.ts";
import { Button } from "../ui/button.tsx";

export function ConnectionNotice() {
  const { lostAt, isUpdated } = useConnection();
  useStaleMark(lostAt !== null);
  return (
    <section aria-label="Connection" className="connection" aria-live="polite">
      {lostAt !== null && (
        <p>
          <strong>Reconnecting …</strong> The server does not answer. What this page shows is from{" "}
          {clockTime(lostAt / 1000)}.
        </p>
      )}
      {lostAt === null && isUpdated && (
        <p>
          <strong>Loquat was updated.</strong> Reload to use the new version.
          <Button onClick={() => location.reload()}>Reload</Button>
        </p>
      )}
    </section>
  );
}

/** Numbers are drawn without colour while they are old; once the server answers, everything is read again. */
function useStaleMark(isStale: boolean): void {
  const wasStale = useRef(false);
  useEffect(() => {
    document.documentElement.toggleAttribute("data-stale", isStale);
    if (wasStale.current && !isStale) void refreshAll();
    wasStale.current = isStale;
  }, [isStale]);
}
