/** German messages that many pages share. */
import type { Translations } from "../en/translation.ts";

export const controls: Translations["controls"] = {
  language: "Sprache",
  partialLanguage: "{name} (teilweise)",

  cancel: "Abbrechen",
  close: "Schließen",
  done: "Fertig",
  previous: "Zurück",
  next: "Weiter",
  show: "Anzeigen",
  hide: "Verbergen",
  details: "Einzelheiten",
  saved: "Gespeichert.",
  all: "Alle",
  loading: "Wird geladen",
  tryAgain: "Erneut versuchen",
  reload: "Neu laden",

  copy: "Kopieren",
  copied: "Kopiert",
  pressToCopy: "Mit Strg+C kopieren",
  copyLink: "Link kopieren",
  copyTheCode: "Code kopieren",

  passwordHint: "Mindestens 10 Zeichen.",
  showField: "{field} anzeigen",
  hideField: "{field} verbergen",
  codeOfApp: "Code der App",
  codeOrRecovery: "Code Ihrer Authentifizierungs-App oder ein Wiederherstellungscode",
  confirmTitle: "Bestätigen Sie Ihre Identität",
  confirm: "Bestätigen",
  confirmText: "Dafür ist ein Code Ihres zweiten Faktors nötig. Er gilt 15 Minuten lang.",
  notConfirmed: "Nicht bestätigt, daher wurde nichts geändert.",
  fixFields: "Bitte korrigieren Sie die markierten Felder.",

  unreachable: "Der Server ist nicht erreichbar. Prüfen Sie die Verbindung und versuchen Sie es erneut.",
  reconnecting:
    "<b>Verbindung wird wiederhergestellt …</b> Der Server antwortet nicht. Diese Seite zeigt den Stand von {time}.",
  connection: "Verbindung",
  updated: "<b>Loquat wurde aktualisiert.</b> Laden Sie die Seite neu, um die neue Version zu verwenden.",
  pageNotLoaded: "Diese Seite konnte nicht geladen werden.",
  partNotLoaded: "Dieser Teil der Seite konnte nicht geladen werden.",
  pageOpens: "Der Server ist nicht erreichbar. Die Seite öffnet sich, sobald er antwortet.",
  partAppears: "Der Server ist nicht erreichbar. Dieser Teil erscheint, sobald er antwortet.",
  mayBeUpdated:
    "Möglicherweise wurde Loquat aktualisiert. Laden Sie die Seite neu, um die aktuelle Version zu erhalten.",
  pageStopped:
    "<b>Diese Seite wurde wegen eines Fehlers in Loquat beendet.</b> Laden Sie die Seite neu. Wenn das nicht hilft, melden Sie diese Nachricht:",
  partStopped:
    "<b>Dieser Teil der Seite wurde wegen eines Fehlers in Loquat beendet.</b> Laden Sie die Seite neu. Wenn das nicht hilft, melden Sie diese Nachricht:",
  noMail: "Dieser Server versendet keine E-Mails. Der Betreiber findet die Nachrichten in einem Ordner.",

  spokenBy: "Gesprochen von {voice}.",
  spokenByOf: "Gesprochen von {voice}, aus {model}.",
  noVoice: "Auf diesem Server ist keine Stimme installiert. Siehe: loquat doctor",
  playSample: "Hörprobe von {voice} abspielen",
  stopSample: "Hörprobe von {voice} anhalten",
};
