/** Edits a conversation, makes it the default, and removes it. */
import { useState } from "react";
import { useWrite } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { Failure } from "../../ui/query-boundary.tsx";
import type { Conversation } from "./conversation-item.ts";

type ConversationActionsProps = { item: Conversation; onEdit: () => void };

export function ConversationActions({
  item: { name, is_default, is_built_in },
  onEdit,
}: ConversationActionsProps) {
  const prefer = useWrite("POST /api/operator/conversations/:conversation/default");
  const [isRemoving, setRemoving] = useState(false);
  return (
    <>
      {prefer.error && <Failure error={prefer.error} />}
      <div className="actions">
        <Button aria-label={`Edit ${name}`} onClick={onEdit}>
          Edit
        </Button>
        {!is_default && (
          <Button
            busy={prefer.isPending}
            aria-label={`Make default: ${name}`}
            onClick={() => prefer.mutate({ ids: { conversation: name } })}
          >
            Make default
          </Button>
        )}
        {!is_built_in && (
          <Button kind="danger" aria-label={`Remove ${name}`} onClick={() => setRemoving(true)}>
            Remove
          </Button>
        )}
      </div>
      {isRemoving && <Removal name={name} onClose={() => setRemoving(false)} />}
    </>
  );
}

function Removal({ name, onClose }: { name: string; onClose: () => void }) {
  const remove = useWrite("DELETE /api/operator/conversations/:conversation");
  return (
    <FormDialog
      kind="danger"
      title={`Remove ${name}?`}
      submit="Remove"
      onSubmit={() => remove.mutateAsync({ ids: { conversation: name } })}
      onClose={onClose}
    >
      <p>Callers who name it are refused from then on. Sessions under way go on.</p>
    </FormDialog>
  );
}
