/** What to do where a browser denies the microphone to a page that was loaded over plain HTTP from another machine. */
import { transcribeTexts } from "../../language/en/transcribe.ts";
import { CopyButton } from "../../ui/button.tsx";
import { Notice } from "../../ui/page.tsx";
import { bold, code } from "../../ui/rich.tsx";

const CHROME_FLAG = "chrome://flags/#unsafely-treat-insecure-origin-as-secure";

export function MicrophoneNotice() {
  const t = transcribeTexts();
  const { origin } = location;
  const flag = () => (
    <>
      {code(CHROME_FLAG)} <CopyButton text={CHROME_FLAG} />
    </>
  );
  return (
    <Notice tone="warn">
      <p>{t.rich("httpsOnly", { origin, b: bold, code })}</p>
      <ul>
        <li>{t.rich("serveHttps", { code })}</li>
        <li>{t.rich("chromeFlag", { origin, flag, code })}</li>
      </ul>
    </Notice>
  );
}
