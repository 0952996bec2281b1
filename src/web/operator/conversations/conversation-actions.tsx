/** Talks with a conversation in the playground, edits it, makes it the default, and removes it. */
import { useWrite } from "../../api/queries.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Failure } from "../../ui/query-boundary.tsx";
import { RemoveButton } from "../remove-button.tsx";
import type { Conversation } from "./conversation-item.ts";

type ConversationActionsProps = { item: Conversation; onEdit: () => void };

export function ConversationActions({
  item: { name, is_default, is_built_in },
  onEdit,
}: ConversationActionsProps) {
  const prefer = useWrite("POST /api/operator/conversations/:conversation/default");
  const remove = useWrite("DELETE /api/operator/conversations/:conversation");
  return (
    <>
      {prefer.error && <Failure error={prefer.error} />}
      <div className="actions">
        <LinkButton aria-label={`Try ${name}`} href={`/playground?tab=talk&conversation=${name}`}>
          Try
        </LinkButton>
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
          <RemoveButton name={name} remove={() => remove.mutateAsync({ ids: { conversation: name } })}>
            Callers who name it are refused from then on. Sessions under way go on.
          </RemoveButton>
        )}
      </div>
    </>
  );
}
