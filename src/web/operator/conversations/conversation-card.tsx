/** A conversation: its parts, texts and interruption, and what can be done with it. */
import { Badge, Card, Notice } from "../../ui/page.tsx";
import { ConversationActions } from "./conversation-actions.tsx";
import type { Conversation } from "./conversation-item.ts";

type ConversationCardProps = { item: Conversation; onEdit: () => void };

export function ConversationCard({ item, onEdit }: ConversationCardProps) {
  const { name, is_default, is_built_in, leaves_host, problems } = item;
  return (
    <Card title={name}>
      {(is_default || is_built_in || leaves_host) && (
        <p className="hint">
          {is_default && <Badge tone="good">Default</Badge>} {is_built_in && <Badge>Built in</Badge>}{" "}
          {leaves_host && <Badge tone="warn">Another company</Badge>}
        </p>
      )}
      {problems.length > 0 && (
        <Notice tone="warn">
          <p>{problems.join(" ")}</p>
        </Notice>
      )}
      <Parts item={item} />
      {leaves_host && <p className="hint">What callers say leaves this machine.</p>}
      <ConversationActions item={item} onEdit={onEdit} />
    </Card>
  );
}

function Parts({ item }: { item: Conversation }) {
  const { llm, stt, tts, voice, instructions, greeting, max_output_tokens } = item;
  return (
    <dl className="facts">
      <dt>Language model</dt>
      <dd>{part(llm)}</dd>
      <dt>Listens with</dt>
      <dd>{part(stt)}</dd>
      <dt>Speaks with</dt>
      <dd>{part(tts)}</dd>
      <dt>Voice</dt>
      <dd>{part(voice)}</dd>
      <dt>Instructions</dt>
      <dd className="excerpt">{instructions || "None"}</dd>
      <dt>Greeting</dt>
      <dd className="excerpt">{greeting ?? "None"}</dd>
      {max_output_tokens !== null && (
        <>
          <dt>Longest answer</dt>
          <dd>{max_output_tokens} tokens</dd>
        </>
      )}
      <dt>Interruption</dt>
      <dd>{interruptionOf(item)}</dd>
      <dt>Early answers</dt>
      <dd>{SPECULATIONS[item.speculate]}</dd>
    </dl>
  );
}

const part = (id: string | null) => (id === null ? "The first" : <code>{id}</code>);

export const SPECULATIONS: Record<Conversation["speculate"], string> = {
  auto: "Where they cost nothing",
  on: "Always",
  off: "Never",
};

function interruptionOf({ interruption_ms, backchannels, resume }: Conversation): string {
  const after = interruption_ms === 0 ? "At any sound" : `After ${interruption_ms} ms of sound, or a word`;
  const signs = backchannels ? "; not by “mm-hm” and the like" : "";
  return `${after}${signs}${resume ? "; goes on after a noise" : ""}.`;
}
