/** What to do where a browser denies the microphone to a page that was loaded over plain HTTP from another machine. */
import { CopyButton } from "../../ui/button.tsx";
import { Notice } from "../../ui/page.tsx";

const CHROME_FLAG = "chrome://flags/#unsafely-treat-insecure-origin-as-secure";

export function MicrophoneNotice() {
  return (
    <Notice tone="warn">
      <p>
        <strong>Browsers give the microphone only to https or localhost.</strong> This page is at{" "}
        <code>{location.origin}</code>. Two ways out:
      </p>
      <ul>
        <li>
          Serve it over HTTPS: start the server with <code>loquat serve --lan</code>, which makes a
          certificate, or put a TLS proxy in front of it.
        </li>
        <li>
          In Chrome or Edge, open <code>{CHROME_FLAG}</code> <CopyButton text={CHROME_FLAG} label="Copy" />,
          add <code>{location.origin}</code> there and restart the browser.
        </li>
      </ul>
    </Notice>
  );
}
