/** German messages of the transcription of files. */
import type { Translations } from "../en/translation.ts";

export const transcribe: Translations["transcribe"] = {
  recording: "Aufnahme",
  drop: "Ziehen Sie eine Aufnahme hierher oder <u>wählen Sie eine Datei</u>",
  limits: "Bis zu 25 MB und 10 Minuten",
  limitsJobs: "Bis zu 25 MB und 10 Minuten; mehr im Hintergrund",
  record: "Aufnehmen",
  stopRecording: "Aufnahme beenden",
  level: "Mikrofonpegel",
  language: "Sprache",
  detect: "Erkennen",
  format: "Antwortformat",
  timestamps: "Zeitmarken",
  words: "Wörter",
  segments: "Segmente",
  promptAndKeywords: "Prompt und Schlüsselwörter",
  keywords: "Schlüsselwörter",
  keywordsHint: "Wörter, die in Ihrer Schreibweise bevorzugt werden, eines pro Zeile.",
  prompt: "Was zuvor gesagt wurde",
  promptHint: "Für Modelle, die einen Prompt annehmen; andere ignorieren ihn.",
  transcribe: "Transkribieren",
  transcribeAgain: "Erneut transkribieren",

  transcript: "Transkript",
  undo: "Korrekturen rückgängig machen",
  correct: "Korrigieren",
  done: "Fertig",
  empty: "Hier erscheint das Transkript. Klicken Sie auf ein Wort, um es abzuspielen.",
  transcribing: "{file} wird transkribiert …",
  isEmpty: "{file} ist leer.",
  tooLarge: "{file} hat {size}. Die API nimmt Dateien bis {max} an.",
  transcribed: "In {time} transkribiert.",
  transcribedAudio: "{duration} s Audio in {time}.",
  noSpeech: "Es wurde keine Sprache erkannt.",
  clickWord: "Klicken Sie auf ein Wort, um es abzuspielen.",
  sending: "{file} wird gesendet …",
  sent: "{percent, number} % von {file} gesendet",
  inBackground: "Im Hintergrund transkribieren",
  inBackgroundHint: "Das läuft ohne diese Seite weiter, als Auftrag.",

  sure: "Nur zu {percent, number} % sicher.",
  oneLanguage:
    "{model} beherrscht nur {language}. Wählen Sie für eine andere Sprache ein anderes Modell, oder lassen Sie auf der Seite „Modelle“ einen Spracherkenner wie Whisper installieren.",
  chooseLanguage: "Wählen Sie die Sprache der Aufnahme oder ein anderes Modell.",
  waveform: "Wellenform mit Wörtern",
  textFrom: "Text ab {time}",
  playFrom: "Ab {time} abspielen",
  confidence: "Konfidenz des Spracherkenners in diesem Segment",
  span: "{start} bis {end} s",
  export: "Exportieren",
  downloadAs: "Als {format} herunterladen",
  copyText: "Text kopieren",

  microphoneDenied:
    "Der Browser hat das Mikrofon nicht freigegeben. Erlauben Sie es für diese Seite in der Adressleiste.",
  noMicrophone: "Es wurde kein Mikrofon gefunden. Schließen Sie eines an und versuchen Sie es erneut.",
  microphoneBusy: "Ein anderes Programm verwendet das Mikrofon.",
  httpsOnly:
    "<b>Browser geben das Mikrofon nur für https oder localhost frei.</b> Diese Seite liegt unter <code>{origin}</code>. Zwei Auswege:",
  serveHttps:
    "Verwenden Sie HTTPS: Starten Sie den Server mit <code>loquat serve --lan</code>, das ein Zertifikat erstellt, oder stellen Sie einen TLS-Proxy davor.",
  chromeFlag:
    "Öffnen Sie in Chrome oder Edge <flag></flag>, fügen Sie dort <code>{origin}</code> hinzu und starten Sie den Browser neu.",
};
