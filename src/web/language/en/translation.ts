/** What a catalogue holds: a text for each English message of an area. */
import type { account } from "./account.ts";
import type { charts } from "./charts.ts";
import type { controls } from "./controls.ts";
import type { credit } from "./credit.ts";
import type { frame } from "./frame.ts";
import type { jobs } from "./jobs.ts";
import type { library } from "./library.ts";
import type { live } from "./live.ts";
import type { mailOfAlerts } from "./mail-of-alerts.ts";
import type { narration } from "./narration.ts";
import type { overview } from "./overview.ts";
import type { ownVoices } from "./own-voices.ts";
import type { packages } from "./packages.ts";
import type { requestTable } from "./request-table.ts";
import type { setUp } from "./set-up.ts";
import type { signIn } from "./sign-in.ts";
import type { speak } from "./speak.ts";
import type { talk } from "./talk.ts";
import type { transcribe } from "./transcribe.ts";

/** The compiler names the messages that are missing, and those that are none of the area. */
type Translation<Area> = { readonly [Id in keyof Area]: string };

/** The areas that are translated. */
export type Translations = {
  account: Translation<typeof account>;
  charts: Translation<typeof charts>;
  controls: Translation<typeof controls>;
  credit: Translation<typeof credit>;
  frame: Translation<typeof frame>;
  library: Translation<typeof library>;
  live: Translation<typeof live>;
  mailOfAlerts: Translation<typeof mailOfAlerts>;
  narration: Translation<typeof narration>;
  talk: Translation<typeof talk>;
  ownVoices: Translation<typeof ownVoices>;
  packages: Translation<typeof packages>;
  overview: Translation<typeof overview>;
  requestTable: Translation<typeof requestTable>;
  jobs: Translation<typeof jobs>;
  setUp: Translation<typeof setUp>;
  signIn: Translation<typeof signIn>;
  speak: Translation<typeof speak>;
  transcribe: Translation<typeof transcribe>;
};
