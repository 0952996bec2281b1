/** Whether members of the organization need a second factor, which owners decide. */
import { Link } from "wouter";
import { useWrite } from "../api/queries.ts";
import { useHasRole, useOrganization, useSession } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { Badge, Card } from "../ui/page.tsx";
import { Failure } from "../ui/query-boundary.tsx";

export function RequiredFactor() {
  const { id, require_two_factor: isRequired } = useOrganization();
  const { satisfied } = useSession().two_factor;
  const isOwner = useHasRole("owner");
  const { mutate, isPending, error } = useWrite("PUT /api/organizations/:organization/two-factor");
  const set = () => mutate({ ids: { organization: id }, body: { required: !isRequired } });
  return (
    <Card
      title="Second factor"
      actions={<Badge tone={isRequired ? "good" : "plain"}>{isRequired ? "required" : "optional"}</Badge>}
    >
      <p>
        {isRequired
          ? "Members without a second factor see their account page only, until they have set one up."
          : "Members may sign in with a password alone."}{" "}
        People of a sign-in provider use the provider's.
      </p>
      {isOwner && !isRequired && !satisfied && (
        <p className="hint">
          <Link href="/account">Set up a second factor of your own</Link> before you ask others for one.
        </p>
      )}
      {isOwner && (isRequired || satisfied) && (
        <div className="actions">
          <Button busy={isPending} onClick={set}>
            {isRequired ? "No longer require it" : "Require it of every member"}
          </Button>
        </div>
      )}
      {error && <Failure error={error} />}
    </Card>
  );
}
