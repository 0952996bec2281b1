/** Deleting the organization, which owners ask for and undo while there is time. */
import { useState } from "react";
import { useRead, useWrite } from "../api/queries.ts";
import { useHasRole, useOrganization } from "../api/session.ts";
import { distance, moment } from "../format/times.ts";
import { Button } from "../ui/button.tsx";
import { Field } from "../ui/form/form.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { Card, Notice } from "../ui/page.tsx";
import { Failure, QueryBoundary } from "../ui/query-boundary.tsx";

export function DeleteOrganization() {
  const { id } = useOrganization();
  const query = useRead("GET /api/organizations/:organization", { ids: { organization: id } });
  return (
    <Card title="Delete the organization">
      <QueryBoundary of={query}>
        {({ delete_at }) => (delete_at === null ? <Ask /> : <Undo at={delete_at} />)}
      </QueryBoundary>
    </Card>
  );
}

function Ask() {
  const isOwner = useHasRole("owner");
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <p>
        Its keys, members, voices, recordings, files and request logs are deleted. Charges, credit and
        invoices are kept, as accounts must be.
      </p>
      {isOwner ? (
        <div className="actions">
          <Button kind="danger" onClick={() => setAsking(true)}>
            Delete the organization
          </Button>
        </div>
      ) : (
        <p className="hint">Only an owner can delete it.</p>
      )}
      {isAsking && <AskDialog onClose={() => setAsking(false)} />}
    </>
  );
}

function AskDialog({ onClose }: { onClose: () => void }) {
  const { id, name } = useOrganization();
  const { mutateAsync: ask } = useWrite("POST /api/organizations/:organization/delete");
  return (
    <FormDialog
      kind="danger"
      title={`Delete ${name}?`}
      submit="Delete in seven days"
      onSubmit={({ name: typed = "" }) => ask({ ids: { organization: id }, body: { name: typed } })}
      onClose={onClose}
    >
      <p>
        Requests with its keys are refused from now on. In seven days it is deleted with everything in it;
        until then any owner can undo that here.
      </p>
      <Field name="name" label={`Type its name: ${name}`} autoComplete="off" required />
    </FormDialog>
  );
}

function Undo({ at }: { at: number }) {
  const { id } = useOrganization();
  const isOwner = useHasRole("owner");
  const { mutate, isPending, error } = useWrite("POST /api/organizations/:organization/delete/undo");
  return (
    <>
      <Notice tone="bad">
        <p>
          <strong>
            It is deleted <time title={moment(at)}>{distance(at)}</time>.
          </strong>{" "}
          Requests with its keys are refused.
        </p>
      </Notice>
      {isOwner ? (
        <div className="actions">
          <Button kind="primary" busy={isPending} onClick={() => mutate({ ids: { organization: id } })}>
            Undo: keep the organization
          </Button>
        </div>
      ) : (
        <p className="hint">An owner can undo that.</p>
      )}
      {error && <Failure error={error} />}
    </>
  );
}
