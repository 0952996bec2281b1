/** The saved card: stored by the payment service, charged by auto-recharge only. */
import { useState } from "react";
import { useWrite } from "../../api/queries.ts";
import { useHasRole, useOrganization } from "../../api/session.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { Card } from "../../ui/page.tsx";
import { Failure } from "../../ui/query-boundary.tsx";
import type { BillingState } from "./billing-state.ts";

type Method = NonNullable<BillingState["payment_method"]>;

/** "Visa ending in 4242". */
export const cardName = ({ brand, last4 }: Method): string =>
  `${brand.charAt(0).toUpperCase()}${brand.slice(1)} ending in ${last4}`;

export function PaymentCard({ method }: { method: Method | null }) {
  const isOwner = useHasRole("owner");
  return (
    <Card title="Saved card">
      {method ? (
        <p>
          <strong>{cardName(method)}</strong>
          <br />
          <small>
            Expires {String(method.exp_month).padStart(2, "0")}/{method.exp_year}
          </small>
        </p>
      ) : (
        <p>No saved card. Auto-recharge requires one.</p>
      )}
      {isOwner ? <CardActions method={method} /> : <small>Only owners can change it.</small>}
    </Card>
  );
}

function CardActions({ method }: { method: Method | null }) {
  const { id: organization } = useOrganization();
  const setup = useWrite("POST /api/organizations/:organization/billing/payment-method/setup");
  const [isRemoving, setRemoving] = useState(false);
  const save = () =>
    setup.mutate({ ids: { organization } }, { onSuccess: ({ url }) => location.assign(url) });
  return (
    <>
      {setup.error && <Failure error={setup.error} />}
      <div className="actions">
        <Button busy={setup.isPending} onClick={save}>
          {method ? "Replace card" : "Save a card"}
        </Button>
        {method && (
          <Button kind="danger" onClick={() => setRemoving(true)}>
            Remove card
          </Button>
        )}
      </div>
      <small>Cards are entered on the payment service's page. Their numbers never reach this server.</small>
      {method && isRemoving && <Removal method={method} onClose={() => setRemoving(false)} />}
    </>
  );
}

function Removal({ method, onClose }: { method: Method; onClose: () => void }) {
  const { id: organization } = useOrganization();
  const remove = useWrite("DELETE /api/organizations/:organization/billing/payment-method");
  return (
    <FormDialog
      kind="danger"
      title="Remove the card?"
      submit="Remove card"
      onSubmit={() => remove.mutateAsync({ ids: { organization } })}
      onClose={onClose}
    >
      <p>{cardName(method)} is removed, and auto-recharge is switched off.</p>
    </FormDialog>
  );
}
