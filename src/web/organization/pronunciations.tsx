/** The pronunciation dictionary of the organization: how words are read in its speech. */
import { useState } from "react";
import { useRead, useWrite } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { useHasRole, useOrganization } from "../api/session.ts";
import { useServerVoice } from "../samples/server-voice.ts";
import { Button } from "../ui/button.tsx";
import { ExportButtons } from "../ui/export-buttons.tsx";
import { Choice, Field } from "../ui/form/form.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { Card, Page } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { StatusLine } from "../ui/status-line.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { ImportPronunciations } from "./import-pronunciations.tsx";

type Pronunciation = Reply<"GET /api/organizations/:organization/pronunciations">["data"][number];
/** `of` null: a new word. */
type Change =
  | { kind: "set"; of: Pronunciation | null }
  | { kind: "remove"; of: Pronunciation }
  | { kind: "import" };

export function Pronunciations() {
  const { id } = useOrganization();
  const isAdmin = useHasRole("admin");
  const [change, setChange] = useState<Change | null>(null);
  const words = useRead("GET /api/organizations/:organization/pronunciations", { ids: { organization: id } });
  const close = () => setChange(null);
  const speaking = useServerVoice(id);
  return (
    <Page
      title="Pronunciations"
      actions={
        isAdmin && (
          <>
            <Button onClick={() => setChange({ kind: "import" })}>Import</Button>
            <Button kind="primary" onClick={() => setChange({ kind: "set", of: null })}>
              Add a word
            </Button>
          </>
        )
      }
    >
      <Card
        title="All words"
        actions={
          <ExportButtons
            name="pronunciations"
            isEmpty={!words.data?.data.length}
            rows={() =>
              (words.data?.data ?? []).map(({ word, alias, phonemes }) => ({ word, alias, phonemes }))
            }
          />
        }
      >
        <p className="hint">
          These words are read as you say in all speech of this organization, whatever their capitals. Changes
          are in force within seconds.
        </p>
        <QueryBoundary of={words}>
          {({ data }) => (
            <Table
              caption="Words"
              columns={[...COLUMNS, actions(speaking, isAdmin ? setChange : null)]}
              rows={data}
              keyOf={({ word }) => word}
              empty="No words yet."
            />
          )}
        </QueryBoundary>
        <StatusLine id="speaking" message={speaking.message} />
      </Card>
      {change?.kind === "import" && <ImportPronunciations onClose={close} />}
      {change?.kind === "set" && <Edit of={change.of} onClose={close} />}
      {change?.kind === "remove" && <Remove of={change.of} onClose={close} />}
    </Page>
  );
}

const COLUMNS: Column<Pronunciation>[] = [
  { name: "Word", of: ({ word }) => <strong>{word}</strong> },
  { name: "Read as", of: ({ alias, phonemes }) => alias ?? <span lang="und-fonipa">/{phonemes}/</span> },
];

type Speaking = ReturnType<typeof useServerVoice>;

/** `onChange` null: the words can only be heard. */
const actions = (
  { say, isBusy }: Speaking,
  onChange: ((change: Change) => void) | null,
): Column<Pronunciation> => ({
  name: "Actions",
  isActions: true,
  of: (row) => (
    <span className="changes">
      <Button aria-label={`Hear ${row.word}`} disabled={isBusy} onClick={() => say(row.word)}>
        Hear
      </Button>
      {onChange && (
        <>
          <Button aria-label={`Edit ${row.word}`} onClick={() => onChange({ kind: "set", of: row })}>
            Edit
          </Button>
          <Button
            kind="danger"
            aria-label={`Remove ${row.word}`}
            onClick={() => onChange({ kind: "remove", of: row })}
          >
            Remove
          </Button>
        </>
      )}
    </span>
  ),
});

function Edit({ of: before, onClose }: { of: Pronunciation | null; onClose: () => void }) {
  const { id } = useOrganization();
  const { mutateAsync: set } = useWrite("PUT /api/organizations/:organization/pronunciations");
  const [isIpa, setIpa] = useState(before !== null && before.phonemes !== null);
  const [reading, setReading] = useState(before?.alias ?? before?.phonemes ?? "");
  const [word, setWord] = useState(before?.word ?? "");
  return (
    <FormDialog
      title={before ? `Edit ${before.word}` : "Add a word"}
      onClose={onClose}
      submit="Save"
      onSubmit={() =>
        set({
          ids: { organization: id },
          body: { word, ...(isIpa ? { phonemes: reading } : { alias: reading }) },
        })
      }
    >
      {before === null && (
        <Field
          name="word"
          label="Word"
          hint="One word or several, as they are written."
          value={word}
          onChange={(event) => setWord(event.target.value)}
          maxLength={64}
          autoComplete="off"
          required
        />
      )}
      <Choice
        label="It is read as"
        value={isIpa ? "ipa" : "letters"}
        onChange={(event) => setIpa(event.target.value === "ipa")}
      >
        <option value="letters">Other letters</option>
        <option value="ipa">IPA, for voices of Kokoro and Piper</option>
      </Choice>
      <ReadingField {...{ word, reading, isIpa }} onChange={setReading} />
    </FormDialog>
  );
}

type ReadingFieldProps = {
  word: string;
  reading: string;
  isIpa: boolean;
  onChange: (reading: string) => void;
};

/** With a button that speaks what is in it. */
function ReadingField({ word, reading, isIpa, onChange }: ReadingFieldProps) {
  const { id } = useOrganization();
  const { say, isBusy, message } = useServerVoice(id);
  return (
    <>
      <Field
        name="reading"
        label="Reading"
        value={reading}
        onChange={(event) => onChange(event.target.value)}
        maxLength={isIpa ? 100 : 200}
        autoComplete="off"
        required
        inside={
          <Button
            kind="quiet"
            aria-label="Hear this reading"
            disabled={isBusy || reading.trim() === ""}
            onClick={() => say(isIpa ? ipaText(word, reading) : reading)}
          >
            Hear
          </Button>
        }
      />
      <StatusLine id="reading-heard" message={message} />
    </>
  );
}

const withoutMarkup = (text: string): string => text.replace(/[<>&"]/g, "");

/** SSML: voices that do not read phonemes read the word. */
const ipaText = (word: string, phonemes: string): string =>
  `<speak><phoneme ph="${withoutMarkup(phonemes)}">${withoutMarkup(word)}</phoneme></speak>`;

function Remove({ of: { word }, onClose }: { of: Pronunciation; onClose: () => void }) {
  const { id } = useOrganization();
  const { mutateAsync: remove } = useWrite("POST /api/organizations/:organization/pronunciations/remove");
  return (
    <FormDialog
      kind="danger"
      title={`Remove ${word}?`}
      submit="Remove"
      onSubmit={() => remove({ ids: { organization: id }, body: { word } })}
      onClose={onClose}
    >
      <p>It is then read as the voice reads it.</p>
    </FormDialog>
  );
}
