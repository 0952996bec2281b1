/** A sentence in the voice of an installed package, with a test key of the operator's first organization. */
import { useSession } from "../../api/session.ts";
import { sampleOf } from "../../samples/sample-texts.ts";
import { useSpokenSentence } from "../../samples/spoken-sentence.ts";
import { Button } from "../../ui/button.tsx";
import { StatusLine } from "../../ui/status-line.tsx";
import type { Package } from "./package.ts";

/** Nothing for packages that do not speak, and for operators without an organization. */
export function PackageSample({ item: { name, sample } }: { item: Package }) {
  const [organization] = useSession().organizations;
  if (!sample || !organization) return null;
  return <Sample name={name} sample={sample} organization={organization.id} />;
}

type SampleProps = { name: string; sample: NonNullable<Package["sample"]>; organization: string };

function Sample({ name, sample: { model, voice, language }, organization }: SampleProps) {
  const { speak, message, isBusy } = useSpokenSentence(organization);
  return (
    <div className="sample">
      <Button
        busy={isBusy}
        aria-label={`Play a sample of ${name}`}
        onClick={() => void speak({ model, voice, input: sampleOf(language).voice })}
      >
        Play a sample
      </Button>
      <StatusLine id={`sample-${name}`} message={message} />
    </div>
  );
}
