/** Conversations: who callers of the realtime socket talk to, and setting others. */
import { useState } from "react";
import { useRead } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Notice } from "../../ui/page.tsx";
import { QueryBoundary } from "../../ui/query-boundary.tsx";
import { OperatorsOnly } from "../operators-only.tsx";
import { ConversationCard } from "./conversation-card.tsx";
import { ConversationDialog } from "./conversation-dialog.tsx";
import type { Conversation } from "./conversation-item.ts";

export function ConversationList() {
  return (
    <OperatorsOnly title="Conversations">
      <p>
        Callers of the realtime API talk to a conversation by its name: a language model that listens and
        speaks with the models of this server. The names that OpenAI gives to such models stand for the
        default one.
      </p>
      <AllConversations />
    </OperatorsOnly>
  );
}

/** `null`: a new one. */
type Editing = { conversation: Conversation | null };

function AllConversations() {
  const query = useRead("GET /api/operator/conversations", {});
  const [editing, setEditing] = useState<Editing | null>(null);
  return (
    <>
      <p>
        <Button kind="primary" onClick={() => setEditing({ conversation: null })}>
          Add a conversation
        </Button>
      </p>
      <QueryBoundary of={query}>
        {({ data, choices }) => (
          <>
            {choices.llm.length === 0 && (
              <Notice tone="warn">
                <p>This server has no language model yet. Add its server as an upstream first.</p>
              </Notice>
            )}
            {data.map((item) => (
              <ConversationCard
                key={item.name}
                item={item}
                onEdit={() => setEditing({ conversation: item })}
              />
            ))}
            {editing && (
              <ConversationDialog {...editing} choices={choices} onClose={() => setEditing(null)} />
            )}
          </>
        )}
      </QueryBoundary>
    </>
  );
}
