/** The user's pending invitations. */

import type { Invitation } from "../api/invitations.ts";
import { useAuth } from "../api/queries.ts";
import { distance, unixSecondsOf } from "../format/times.ts";
import { LinkButton } from "../ui/button.tsx";
import { Card } from "../ui/page.tsx";

export function Invitations() {
  const { data = [] } = useAuth<Invitation[]>("organization/list-user-invitations");
  if (data.length === 0) return null;
  return (
    <Card title="Invitations">
      <ul className="account-rows">
        {data.map(({ id, organizationName, role, expiresAt }) => (
          <li key={id}>
            <span>
              <strong>{organizationName}</strong> as {role}{" "}
              <small>expires {distance(unixSecondsOf(expiresAt))}</small>
            </span>
            <LinkButton href={`/invitation?id=${encodeURIComponent(id)}`}>View invitation</LinkButton>
          </li>
        ))}
      </ul>
    </Card>
  );
}
