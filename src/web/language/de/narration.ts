/** German messages of the narration. */
import type { Translations } from "../en/translation.ts";

export const narration: Translations["narration"] = {
  voice: "Stimme",
  hint: "Die Eingabetaste beginnt einen neuen Absatz. Entwürfe werden nur in diesem Browser gespeichert. Nur geänderte Absätze werden neu gesprochen.",
  draft: "Entwurf",
  newDraft: "Neuer Entwurf",
  deleteDraft: "Entwurf löschen",
  deleteTitle: "Diesen Entwurf löschen?",
  delete: "Löschen",
  emptyDraft: "Leerer Entwurf",
  speakAll: "Alles sprechen",
  captionsAs: "Untertitel als {format} herunterladen",

  paragraph: "Absatz {number, number}",
  speakOne: "Absatz {number, number} sprechen",
  speakingOne: "Absatz {number, number} von {count, number} wird gesprochen …",
  voiceOf: "Stimme von Absatz {number, number}",
  draftVoice: "Stimme des Entwurfs",
  pause: "Pause",
  pauseIn: "Pause in Absatz {number, number} einfügen",
  reading: "Aussprache",
  readingIn: "Aussprache eines Wortes in Absatz {number, number}",
  readingHint: "Setzt geschweifte Klammern hinter das Wort: {example}",
};
