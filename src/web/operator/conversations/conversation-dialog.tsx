/** Sets a new conversation, or edits one of the list. */
import { useState } from "react";
import { useWrite } from "../../api/queries.ts";
import { Check, Choice, Field, TextArea } from "../../ui/form/form.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { Notice } from "../../ui/page.tsx";
import { SPECULATIONS } from "./conversation-card.tsx";
import type { Choices, Conversation } from "./conversation-item.ts";

type ConversationDialogProps = {
  /** Null for a new one. */
  conversation: Conversation | null;
  choices: Choices;
  onClose: () => void;
};

export function ConversationDialog({ conversation, choices, onClose }: ConversationDialogProps) {
  const save = useWrite("PUT /api/operator/conversations");
  return (
    <FormDialog
      title={conversation ? `Edit ${conversation.name}` : "Add a conversation"}
      onClose={onClose}
      submit="Save"
      onSubmit={({ name = conversation?.name ?? "", ...values }) =>
        save.mutateAsync({ body: { name, ...partsIn(values), ...mannerIn(values) } })
      }
    >
      {conversation === null && (
        <Field
          name="name"
          label="Name"
          hint="Clients send it as their model: small letters, digits, dots and hyphens."
          maxLength={64}
          required
        />
      )}
      <Parts conversation={conversation} choices={choices} />
      <Texts conversation={conversation} />
      <Manner conversation={conversation} />
    </FormDialog>
  );
}

type Values = Record<string, string>;

const partsIn = ({ llm, stt, tts, voice, greeting, instructions = "" }: Values) => ({
  ...{ llm: llm || null, stt: stt || null, tts: tts || null, voice: voice || null },
  ...{ greeting: greeting || null, instructions },
});

const mannerIn = ({ max_output_tokens, interruption_ms, backchannels, resume, speculate }: Values) => ({
  max_output_tokens: max_output_tokens ? Number(max_output_tokens) : null,
  ...{ interruption_ms: Number(interruption_ms), backchannels: backchannels !== undefined },
  ...{ resume: resume !== undefined, speculate: speculate as Conversation["speculate"] },
});

type PartsProps = Pick<ConversationDialogProps, "conversation" | "choices">;

function Parts({ conversation, choices }: PartsProps) {
  const [llm, setLlm] = useState(conversation?.llm ?? "");
  const asked = llm === "" ? choices.llm[0] : choices.llm.find(({ id }) => id === llm);
  return (
    <>
      <Choice name="llm" label="Language model" value={llm} onChange={(event) => setLlm(event.target.value)}>
        <Options all={choices.llm} chosen={conversation?.llm} />
      </Choice>
      {asked?.leaves_host && (
        <Notice tone="warn">
          <p>What callers say leaves this machine for that of another company.</p>
        </Notice>
      )}
      <Choice name="stt" label="Listens with" defaultValue={conversation?.stt ?? ""}>
        <Options all={choices.stt} chosen={conversation?.stt} />
      </Choice>
      <Choice name="tts" label="Speaks with" defaultValue={conversation?.tts ?? ""}>
        <Options all={choices.tts} chosen={conversation?.tts} />
      </Choice>
      <Choice name="voice" label="Voice" defaultValue={conversation?.voice ?? ""}>
        <Options all={choices.voice} chosen={conversation?.voice} />
      </Choice>
    </>
  );
}

type OptionsProps = { all: { id: string; name: string }[]; chosen: string | null | undefined };

/** What is chosen stays a choice although the server has it no more. */
function Options({ all, chosen }: OptionsProps) {
  const isGone = chosen && !all.some(({ id }) => id === chosen);
  return (
    <>
      <option value="">The first</option>
      {isGone && <option value={chosen}>{chosen}, not offered any more</option>}
      {all.map(({ id, name }) => (
        <option key={id} value={id}>
          {id}, {name}
        </option>
      ))}
    </>
  );
}

type OfConversation = Pick<ConversationDialogProps, "conversation">;

function Texts({ conversation }: OfConversation) {
  return (
    <>
      <TextArea
        name="instructions"
        label="Instructions"
        hint="What the language model is told, unless the client sets its own."
        defaultValue={conversation?.instructions ?? "You are a helpful assistant."}
        maxLength={100_000}
        rows={5}
      />
      <Field
        name="greeting"
        label="Greeting"
        hint="Spoken first. Empty: the caller begins."
        defaultValue={conversation?.greeting ?? ""}
        maxLength={2000}
      />
    </>
  );
}

function Manner({ conversation }: OfConversation) {
  return (
    <>
      <Field
        name="max_output_tokens"
        label="Longest answer, in tokens"
        hint="Empty: what clients ask for."
        type="number"
        min={1}
        max={100_000}
        defaultValue={conversation?.max_output_tokens ?? ""}
      />
      <Field
        name="interruption_ms"
        label="Interrupted after, in milliseconds"
        hint="Of sound without a word; a word interrupts at once."
        type="number"
        min={0}
        max={2000}
        defaultValue={conversation?.interruption_ms ?? 240}
        required
      />
      <Check
        name="backchannels"
        label="“Mm-hm” and the like do not interrupt"
        defaultChecked={conversation?.backchannels ?? false}
      />
      <Check
        name="resume"
        label="An answer goes on that a noise has interrupted"
        defaultChecked={conversation?.resume ?? true}
      />
      <Choice
        name="speculate"
        label="Early answers"
        hint="The model is asked while the caller pauses, before it is certain that they have finished."
        defaultValue={conversation?.speculate ?? "auto"}
      >
        {Object.entries(SPECULATIONS).map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </Choice>
    </>
  );
}
