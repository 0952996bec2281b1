/** The French catalogue: readers are addressed with "vous", buttons are infinitives. */
import type { Translations } from "../en/translation.ts";
import { account } from "./account.ts";
import { charts } from "./charts.ts";
import { controls } from "./controls.ts";
import { credit } from "./credit.ts";
import { frame } from "./frame.ts";
import { jobs } from "./jobs.ts";
import { library } from "./library.ts";
import { live } from "./live.ts";
import { mailOfAlerts } from "./mail-of-alerts.ts";
import { narration } from "./narration.ts";
import { overview } from "./overview.ts";
import { ownVoices } from "./own-voices.ts";
import { packages } from "./packages.ts";
import { requestTable } from "./request-table.ts";
import { setUp } from "./set-up.ts";
import { signIn } from "./sign-in.ts";
import { speak } from "./speak.ts";
import { talk } from "./talk.ts";
import { transcribe } from "./transcribe.ts";

export const french: Translations = {
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
