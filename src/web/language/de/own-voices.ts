/** German messages of an organization's own voices. */
import type { Translations } from "../en/translation.ts";

export const ownVoices: Translations["ownVoices"] = {
  title: "Stimmen dieser Organisation",
  cloning:
    "Eine Stimme wird aus einer Aufnahme von 3 bis 30 Sekunden erstellt. Nur diese Organisation kann sie verwenden.",
  cloningOff:
    "Der Betreiber dieses Servers hat das Klonen von Stimmen abgeschaltet: Stimmen können weder erstellt noch verwendet werden.",
  cloningMissing:
    "Kein installiertes Modell erstellt Stimmen aus Aufnahmen. Der Betreiber dieses Servers kann auf der Seite „Modelle“ eines installieren.",
  canBlend: "Stimmen eines Modells lassen sich auch ohne Aufnahme mischen.",
  none: "Noch keine Stimmen.",
  name: "Name",
  id: "ID",
  madeOf: "Erstellt aus",
  madeOn: "Erstellt am",
  aRecording: "einer Aufnahme",
  ofRecording: "{seconds} s Aufnahme",
  actions: "Aktionen",
  play: "Abspielen",
  stop: "Anhalten",
  playRecording: "Aufnahme von {name} abspielen",
  stopRecording: "Aufnahme von {name} anhalten",
  speakWith: "Sprechen mit {name}",
  delete: "Löschen",
  deleteName: "{name} löschen",
  deleteTitle: "{name} löschen?",
  deleteRecording: "Die Aufnahme und die Einwilligung werden ebenfalls gelöscht.",
  deleteText: "Anfragen mit dieser Stimme werden danach abgelehnt.",

  consents: "Einwilligungen von Sprechern",
  consentsText:
    "Eine Aufnahme, in der ein Sprecher einwilligt; die API bewahrt sie für beliebig viele Stimmen auf. Jede Stimme behält eine Kopie der Einwilligung, mit der sie erstellt wurde.",
  consentList: "Einwilligungen",
  noConsents: "Noch keine Einwilligungen.",
  language: "Sprache",
  playConsent: "Einwilligung von {name} abspielen",
  stopConsent: "Einwilligung von {name} anhalten",
  deleteConsent: "Einwilligung von {name} löschen",
  deleteConsentTitle: "Einwilligung von {name} löschen?",
  deleteConsentText:
    "Stimmen, die damit erstellt wurden, bleiben mit ihrer Kopie bestehen. Löschen Sie auch sie, wenn der Sprecher seine Einwilligung widerruft.",

  make: "Stimme erstellen",
  doMake: "Stimme erstellen",
  recording: "Aufnahme",
  recordingHint: "3 bis 30 Sekunden einer Person in einem ruhigen Raum: Geräusche werden Teil der Stimme.",
  needsRecording: "Nehmen Sie etwas auf, oder wählen Sie eine Datei.",
  agrees: "Die sprechende Person willigt ein",
  inWriting: "Schriftlich",
  inRecording: "In einer Aufnahme",
  consent: "Einwilligung",
  consentHint:
    "Zum Beispiel: Ich bin Ada und willige ein, dass diese Stimme aus meiner erstellt wird. Der Text wird mit der Stimme aufbewahrt.",
  spokenConsent: "Gesprochene Einwilligung",
  spokenConsentHint: "Zum Beispiel: Ich bin Ada und willige ein, dass diese Stimme aus meiner erstellt wird.",
  needsConsent: "Nehmen Sie die Einwilligung auf, oder wählen Sie ihre Datei.",
  fileOf: "{label}: Datei",
  toCheck: "{label}, zur Kontrolle",

  blend: "Stimmen mischen",
  saveBlend: "Stimme speichern",
  weights: "Stimmen und ihre Gewichte",
  add: "Stimme hinzufügen",
  hearBlend: "Mischung anhören",
  blendHint: "Speichern kostet nichts. Anhören kostet so viel wie andere Sprachausgabe.",
  voiceNumber: "Stimme {number, number}",
  weight: "Gewicht ({share, number} %)",
  remove: "Entfernen",
  removeNumber: "Stimme {number, number} entfernen",
};
