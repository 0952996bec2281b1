/** The first sentence, spoken with a test key, and where to go next. */

import { useRead } from "../api/queries.ts";
import { hrefOf } from "../browser/navigation.ts";
import { useSpokenSentence } from "../samples/spoken-sentence.ts";
import { Button, LinkButton } from "../ui/button.tsx";
import { StatusLine } from "../ui/status-line.tsx";
import type { StepProps } from "./step-props.ts";

const SENTENCE = "Good morning. This is your own speech server, and I am one of its voices.";

export function DoneStep({ organization: { id } }: StepProps) {
  const ids = { organization: id };
  const connection = useRead("GET /api/organizations/:organization/connection", { ids });
  const { speak, message, isBusy } = useSpokenSentence(id);
  const speech = connection.data?.speech;
  return (
    <>
      <blockquote className="sentence">{SENTENCE}</blockquote>
      <div className="actions">
        <Button
          kind="primary"
          busy={isBusy || connection.isPending}
          onClick={() => void speak(speech ? { ...speech, input: SENTENCE } : null)}
        >
          Play it
        </Button>
        <LinkButton href={hrefOf(id, "connect")}>Connect an application</LinkButton>
        <LinkButton kind="quiet" href={hrefOf(id, "overview")}>
          Open the dashboard
        </LinkButton>
      </div>
      <StatusLine id="first-sentence" message={message} />
    </>
  );
}
