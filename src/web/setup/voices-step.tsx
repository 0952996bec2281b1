/** The packages that suit this machine, with their sizes and licences; downloads go on while the set-up continues. */
import { PackageOffer } from "../operator/package-offer.tsx";
import { LinkButton } from "../ui/button.tsx";

export function VoicesStep() {
  return (
    <>
      <p>
        The built-in voices work now. Model packages sound better and know more languages; they are downloaded
        to this server once, and need no restart.
      </p>
      <PackageOffer />
      <div className="actions">
        <LinkButton kind="primary" href="/setup/done">
          Continue
        </LinkButton>
      </div>
    </>
  );
}
