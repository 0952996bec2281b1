/** German messages of conversations with a language model. */
import type { Translations } from "../en/translation.ts";

export const talk: Translations["talk"] = {
  title: "Gespräch",
  codeNote:
    "Das JavaScript-SDK von OpenAI verbindet sich nur über wss: und benötigt daher eine Adresse mit https.",
  noConversation:
    "<b>Auf diesem Server gibt es kein Gespräch „{name}“.</b> Ein Gespräch benötigt ein Sprachmodell, das der Betreiber des Servers hinzufügt, zum Beispiel so:",
  inContainer: "In einem Container bewirkt <code>{variable}</code> dasselbe.",

  start: "Gespräch beginnen",
  hold: "Zum Sprechen gedrückt halten",
  mute: "Stummschalten",
  interrupt: "Unterbrechen",
  end: "Beenden",
  write: "An den Assistenten schreiben",
  send: "Senden",

  dialogue: "Dialog",
  appearsHere: "Was Sie und der Assistent sagen, erscheint hier.",
  timesFrom: "Die Zeiten zählen ab dem Ende Ihrer Äußerung.",
  you: "Sie:",
  assistant: "Assistent:",
  notHeard: "(nicht gehört:)",
  interrupted: "Unterbrochen",
  functionCall: "Funktionsaufruf:",
  incomplete: "Die Antwort ist unvollständig ({reason}).",

  stages: "Zeit nach Ihrer Äußerung",
  transcript: "Transkript",
  firstToken: "Erstes Token",
  firstClause: "Erster Teilsatz",
  firstSound: "Erster Ton",
  measuredHere: "Von dieser Seite gemessen",

  settings: "Einstellungen",
  conversationHint: "Der Name, den Clients als Modell angeben",
  voice: "Stimme",
  ofConversation: "Die des Gesprächs",
  instructionsHint: "Leer: die des Gesprächs. Sie gelten ab der nächsten Antwort.",
  offerTime: "Eine Funktion anbieten: die aktuelle Uhrzeit",

  connecting: "Verbindung wird hergestellt …",
  waiting: "Die Antwort wird erwartet …",
  answering: "Der Assistent antwortet.",
  holdHint: "Halten Sie die Taste gedrückt, während Sie sprechen, oder drücken Sie sie davor und danach.",
  muted: "Ihr Mikrofon ist stummgeschaltet.",
  connected: "Verbunden. Schreiben Sie etwas, oder beginnen Sie zu sprechen.",
  withoutMicrophone: "{problem} Sie können dem Assistenten auch ohne Mikrofon schreiben.",
  over: "Das Gespräch ist beendet.",
};
