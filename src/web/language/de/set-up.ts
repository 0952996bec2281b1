/** German messages of the set-up of a new server. */
import type { Translations } from "../en/translation.ts";

export const setUp: Translations["setUp"] = {
  title: "Diesen Server einrichten",
  operates: "Mit diesem Konto wird der Server betrieben. Es werden keine E-Mails gesendet.",
  notSetUp: "Dieser Server ist nicht eingerichtet",
  openLink:
    "Öffnen Sie den Einrichtungslink, den der Server beim Start ausgegeben hat, oder lassen Sie auf seinem Rechner mit <code>loquat admin link</code> einen neuen ausgeben.",
  linkField: "Einrichtungslink oder sein Code",
  withoutLink:
    "Ohne den Link wird Betreiber, wer als Erstes eine E-Mail-Adresse bestätigt. <link>Konto erstellen</link>",
  isSetUp: "Dieser Server ist eingerichtet",
  hasOperator: "Er hat bereits einen Betreiber. <link>Anmelden</link>",
  continue: "Weiter",

  steps: "Schritte",
  account: "Konto",
  purpose: "Zweck",
  purposeTitle: "Wofür ist dieser Server?",
  voices: "Stimmen",
  voicesTitle: "Hören Sie sich die Stimmen an",
  done: "Anhören",
  doneTitle: "Ihr Server ist bereit",

  forMe: "Für mich",
  forMeText:
    "Kein Guthaben, keine Preise, nur die Grenzen dieses Rechners. Sonst kann sich niemand registrieren.",
  forTeam: "Für ein Team",
  forTeamText: "Dasselbe für alle, die Sie einladen. Die Nutzung wird nach Projekt und Schlüssel angezeigt.",
  forSale: "Für Kunden",
  forSaleText:
    "Kunden registrieren sich und zahlen mit einem Guthaben. Für Zahlungen muss Stripe konfiguriert sein.",
  changeLater:
    "Sie können das jederzeit unter „Server“ ändern: die Tarife auf der Seite „Organisationen“, und wer sich registrieren darf, auf der Seite „Benutzer“.",

  voicesText:
    "Die eingebauten Stimmen sind sofort verfügbar. Modellpakete klingen besser und beherrschen mehr Sprachen; sie werden einmal auf diesen Server heruntergeladen und erfordern keinen Neustart.",
  continueBuiltIn: "Weiter mit den eingebauten Stimmen",
  play: "Abspielen",
  connect: "Anwendung verbinden",
  openDashboard: "Dashboard öffnen",
  missing:
    "{count, plural, one {Ein Paket ist} other {# Pakete sind}} nicht installiert: {packages}. Die eingebauten Stimmen funktionieren. Der Server versucht es von selbst erneut; den Grund zeigt die Seite <link>Modelle</link>.",
};
