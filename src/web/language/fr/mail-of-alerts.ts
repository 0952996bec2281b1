/** French messages of the page on which an address agrees to mail of alerts. */
import type { Translations } from "../en/translation.ts";

export const mailOfAlerts: Translations["mailOfAlerts"] = {
  title: "Alertes par e-mail",
  wholeLink: "Ouvrez le lien complet de l’e-mail.",
  ask: "Une organisation de ce serveur souhaite prévenir <b>{email}</b> par e-mail lorsqu’elle a dépensé un certain montant ou qu’il lui reste peu de crédit.",
  accept: "Recevoir ces e-mails",
  refuse: "N’en recevoir aucun",
  gets: "{email} reçoit par e-mail les alertes de <b>{organization}</b>.",
  getsNone: "{email} ne reçoit pas par e-mail les alertes de <b>{organization}</b>.",
  endHint: "Chaque e-mail contient un lien pour vous désabonner.",
  stop: "Ne plus en recevoir",
  again: "Recevoir de nouveau ces e-mails",
};
