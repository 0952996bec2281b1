/** German messages of live transcription. */
import type { Translations } from "../en/translation.ts";

export const live: Translations["live"] = {
  title: "Live-Transkription",
  needsNode: "Der JavaScript-Code benötigt einen Browser oder Node 22 mit eingebautem WebSocket.",
  start: "Mikrofon starten",
  finishing: "Wird beendet …",
  listening: "Das Mikrofon ist an. Sprechen Sie.",
  youSpeak: "Sie sprechen.",
  listeningOn: "Das Mikrofon ist an.",
  stopped: "Angehalten.",
  opening: "Das Mikrofon wird geöffnet …",
  finishingLast: "Die letzte Äußerung wird abgeschlossen …",
  late: "Seit {seconds, number} s keine neuen Wörter: Der Server ist ausgelastet, oder das Modell gibt sie am Satzende aus.",
  transcript: "Live-Transkript",
  after: "{delay} nach dem Ende Ihrer Äußerung",
  appearsHere: "Was Sie sagen, erscheint hier.",
  cameAfter: "Der Text kam {delay} nach dem Ende Ihrer Äußerung.",
  cameAfterMedian: "Der Text kam {delay} nach dem Ende Ihrer Äußerung, im Median nach {median}.",
  endOfTurn: "Ende einer Äußerung",
  afterSilence: "Nach einer halben Sekunde Stille",
  afterSentence: "Wenn der Satz vollständig scheint",
  pushToTalk: "Auf Tastendruck (Push-to-talk)",
  lost: "Die Verbindung zum Server wurde unterbrochen. Starten Sie neu, um fortzufahren.",
  closed: "Die Verbindung wurde geschlossen: {reason}.",
};
