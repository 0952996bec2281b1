/** English messages of the page on which an address agrees to mail of alerts. */
import { areaTexts } from "../texts.ts";

export const mailOfAlerts = {
  title: "Mail of alerts",
  wholeLink: "Open the whole link of the mail.",
  ask: "An organization on this server wants to tell <b>{email}</b> by mail when it has spent an amount, or has little credit left.",
  accept: "Send me these mails",
  refuse: "Send me none",
  gets: "{email} gets mail of the alerts of <b>{organization}</b>.",
  getsNone: "{email} gets no mail of the alerts of <b>{organization}</b>.",
  endHint: "Each mail has a link by which you can end them.",
  stop: "Send me none after all",
  again: "Send me these mails again",
} as const;

export const mailOfAlertsTexts = areaTexts("mailOfAlerts", mailOfAlerts);
