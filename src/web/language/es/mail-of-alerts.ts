/** Spanish messages of the page on which an address agrees to mail of alerts. */
import type { Translations } from "../en/translation.ts";

export const mailOfAlerts: Translations["mailOfAlerts"] = {
  title: "Alertas por correo electrónico",
  wholeLink: "Abra el enlace completo del correo.",
  ask: "Una organización de este servidor quiere avisar a <b>{email}</b> por correo electrónico cuando haya gastado un importe determinado o le quede poco saldo.",
  accept: "Recibir estos correos",
  refuse: "No recibir ninguno",
  gets: "{email} recibe por correo las alertas de <b>{organization}</b>.",
  getsNone: "{email} no recibe por correo las alertas de <b>{organization}</b>.",
  endHint: "Cada correo incluye un enlace para dejar de recibirlos.",
  stop: "Dejar de recibirlos",
  again: "Volver a recibir estos correos",
};
