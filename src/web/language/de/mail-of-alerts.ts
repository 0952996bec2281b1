/** German messages of the page on which an address agrees to mail of alerts. */
import type { Translations } from "../en/translation.ts";

export const mailOfAlerts: Translations["mailOfAlerts"] = {
  title: "Benachrichtigungen per E-Mail",
  wholeLink: "Öffnen Sie den vollständigen Link aus der E-Mail.",
  ask: "Eine Organisation auf diesem Server möchte <b>{email}</b> per E-Mail benachrichtigen, wenn sie einen bestimmten Betrag ausgegeben hat oder wenig Guthaben übrig ist.",
  accept: "Diese E-Mails erhalten",
  refuse: "Keine E-Mails erhalten",
  gets: "{email} erhält Benachrichtigungen von <b>{organization}</b> per E-Mail.",
  getsNone: "{email} erhält keine Benachrichtigungen von <b>{organization}</b> per E-Mail.",
  endHint: "Jede E-Mail enthält einen Link zum Abbestellen.",
  stop: "Doch keine E-Mails erhalten",
  again: "Diese E-Mails wieder erhalten",
};
