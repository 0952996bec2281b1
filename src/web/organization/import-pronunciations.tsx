/** Imports the words of a CSV or JSON file; where a line is wrong, says what is wrong with each, and nothing is stored. */
import { useState } from "react";
import { useWrite } from "../api/queries.ts";
import { ServerError } from "../api/server.ts";
import { useOrganization } from "../api/session.ts";
import { count } from "../format/numbers.ts";
import { Button } from "../ui/button.tsx";
import { Check, Field, Form } from "../ui/form/form.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";

const SHOWN = 10;

export function ImportPronunciations({ onClose }: { onClose: () => void }) {
  const { id } = useOrganization();
  const { mutateAsync: send, data } = useWrite("POST /api/organizations/:organization/pronunciations/import");
  const [wrong, setWrong] = useState<[place: string, message: string][]>([]);
  async function importFile({ replace }: Record<string, string>, all: FormData) {
    setWrong([]);
    const text = await (all.get("file") as File).text();
    try {
      await send({ ids: { organization: id }, body: { text, replace: replace !== undefined } });
    } catch (error) {
      const lines = error instanceof ServerError ? Object.entries(error.fields) : [];
      if (lines.length < 2) throw error;
      setWrong(lines);
      throw new Error("Nothing was imported. Correct the lines above first.");
    }
  }
  if (data)
    return (
      <Dialog title="Words imported" onClose={onClose}>
        <p role="status">
          {count(data.imported)} {data.imported === 1 ? "word is" : "words are"} read as the file says
          {data.removed > 0 &&
            `; ${count(data.removed)} ${data.removed === 1 ? "other was" : "others were"} removed`}
          .
        </p>
        <div className="actions">
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title="Import words" onClose={onClose}>
      <Form onSubmit={importFile} submit="Import" actions={<Button onClick={onClose}>Cancel</Button>}>
        <Field
          name="file"
          label="File"
          type="file"
          accept=".csv,.tsv,.txt,.json,text/csv,application/json"
          hint="A file that this page has exported, or CSV whose first line is word,alias,phonemes. A dictionary has at most 1,000 words."
          required
        />
        <Check name="replace" label="Remove the words that are not in the file" />
        {wrong.length > 0 && <WrongLines of={wrong} />}
      </Form>
    </Dialog>
  );
}

function WrongLines({ of: wrong }: { of: [place: string, message: string][] }) {
  return (
    <div className="problem">
      <ul dir="auto">
        {wrong.slice(0, SHOWN).map(([place, message]) => (
          <li key={place}>
            {place} {message}.
          </li>
        ))}
      </ul>
      {wrong.length > SHOWN && <p>And more.</p>}
    </div>
  );
}
