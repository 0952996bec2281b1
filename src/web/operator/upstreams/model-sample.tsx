/** A sentence in a voice of an upstream's model, with a test key of the operator's first organization. */
import { useSession } from "../../api/session.ts";
import { sampleOf } from "../../samples/sample-texts.ts";
import { useSpokenSentence } from "../../samples/spoken-sentence.ts";
import { Button } from "../../ui/button.tsx";
import { StatusLine } from "../../ui/status-line.tsx";
import type { Upstream } from "./upstream.ts";

type Model = Upstream["models"][number];

/** Nothing for models that do not speak, and for operators without an organization. */
export function ModelSample({ model: { id, sample } }: { model: Model }) {
  const [organization] = useSession().organizations;
  if (!sample || !organization) return null;
  return <Sample id={id} sample={sample} organization={organization.id} />;
}

type SampleProps = { id: string; sample: NonNullable<Model["sample"]>; organization: string };

function Sample({ id, sample: { model, voice, language }, organization }: SampleProps) {
  const { speak, message, isBusy } = useSpokenSentence(organization);
  return (
    <div className="sample">
      <Button
        kind="quiet"
        busy={isBusy}
        aria-label={`Play a sample of ${id}`}
        onClick={() => void speak({ model, voice, input: sampleOf(language).voice })}
      >
        Play a sample
      </Button>
      <StatusLine id={`sample-${id}`} message={message} />
    </div>
  );
}
