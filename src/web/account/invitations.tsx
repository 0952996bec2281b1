/** Invitations that wait for whoever is signed in. */
import { useAuth } from "../lib/queries.ts";
import { LinkButton } from "../ui/button.tsx";
import { distance } from "../ui/format.ts";
import { Card } from "../ui/page.tsx";

/** Times are ISO 8601 here, as the library that keeps them has them. */
export type Invited = {
  id: string;
  email: string;
  role: string;
  organizationName: string;
  expiresAt: string;
};

export function Invitations() {
  const { data = [] } = useAuth<Invited[]>("organization/list-user-invitations");
  if (data.length === 0) return null;
  return (
    <Card title="Invitations">
      <ul className="account-rows">
        {data.map(({ id, organizationName, role, expiresAt }) => (
          <li key={id}>
            <span>
              <strong>{organizationName}</strong> as {role} <small>{ends(expiresAt)}</small>
            </span>
            <LinkButton href={`/invitation?id=${encodeURIComponent(id)}`}>See the invitation</LinkButton>
          </li>
        ))}
      </ul>
    </Card>
  );
}

export const secondsOf = (iso: string): number => Date.parse(iso) / 1000;

const ends = (iso: string): string => `ends ${distance(secondsOf(iso))}`;
