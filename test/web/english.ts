/** All English messages of the pages, by area, as the catalogues translate them. */
import { account } from "../../src/web/language/en/account.ts";
import { charts } from "../../src/web/language/en/charts.ts";
import { controls } from "../../src/web/language/en/controls.ts";
import { credit } from "../../src/web/language/en/credit.ts";
import { frame } from "../../src/web/language/en/frame.ts";
import { jobs } from "../../src/web/language/en/jobs.ts";
import { library } from "../../src/web/language/en/library.ts";
import { live } from "../../src/web/language/en/live.ts";
import { mailOfAlerts } from "../../src/web/language/en/mail-of-alerts.ts";
import { narration } from "../../src/web/language/en/narration.ts";
import { overview } from "../../src/web/language/en/overview.ts";
import { ownVoices } from "../../src/web/language/en/own-voices.ts";
import { packages } from "../../src/web/language/en/packages.ts";
import { requestTable } from "../../src/web/language/en/request-table.ts";
import { setUp } from "../../src/web/language/en/set-up.ts";
import { signIn } from "../../src/web/language/en/sign-in.ts";
import { speak } from "../../src/web/language/en/speak.ts";
import { talk } from "../../src/web/language/en/talk.ts";
import { transcribe } from "../../src/web/language/en/transcribe.ts";
import type { Translations } from "../../src/web/language/en/translation.ts";

export const english: Translations = {
  account,
  charts,
  controls,
  credit,
  frame,
  library,
  live,
  mailOfAlerts,
  narration,
  talk,
  ownVoices,
  packages,
  overview,
  requestTable,
  jobs,
  setUp,
  signIn,
  speak,
  transcribe,
};
