/** The Arabic catalogue, of the pages before the dashboard; other areas are English. */
import type { Translations } from "../en/translation.ts";
import { controls } from "./controls.ts";
import { mailOfAlerts } from "./mail-of-alerts.ts";
import { packages } from "./packages.ts";
import { setUp } from "./set-up.ts";
import { signIn } from "./sign-in.ts";

export const arabic: Partial<Translations> = { controls, mailOfAlerts, packages, setUp, signIn };
