/** Voices to listen to, and packages that suit this machine, with their sizes and licences; downloads go on while the set-up continues. */
import { Downloads } from "../operator/packages/downloads.tsx";
import { PackageOffer } from "../operator/packages/package-offer.tsx";
import { LinkButton } from "../ui/button.tsx";
import type { StepProps } from "./step-props.ts";
import { VoiceSamples } from "./voice-samples.tsx";

export function VoicesStep({ organization }: StepProps) {
  return (
    <>
      <p>
        The built-in voices work now. Model packages sound better and know more languages; they are downloaded
        to this server once, and need no restart.
      </p>
      <VoiceSamples organization={organization.id} />
      <Downloads />
      <PackageOffer />
      <div className="actions">
        <LinkButton kind="primary" href="/setup/done">
          Continue
        </LinkButton>
      </div>
    </>
  );
}
