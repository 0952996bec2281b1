/** French messages of the transcription of files. */
import type { Translations } from "../en/translation.ts";

export const transcribe: Translations["transcribe"] = {
  recording: "Enregistrement",
  drop: "Déposez un enregistrement ici ou <u>choisissez un fichier</u>",
  limits: "Jusqu’à 25 Mo et 10 minutes",
  limitsJobs: "Jusqu’à 25 Mo et 10 minutes ; au-delà, en arrière-plan",
  record: "Enregistrer",
  stopRecording: "Arrêter l’enregistrement",
  level: "Niveau du microphone",
  language: "Langue",
  detect: "Détecter",
  format: "Format de la réponse",
  timestamps: "Horodatage",
  words: "Mots",
  segments: "Segments",
  promptAndKeywords: "Invite et mots-clés",
  keywords: "Mots-clés",
  keywordsHint: "Mots à privilégier tels que vous les écrivez, un par ligne.",
  prompt: "Ce qui a été dit avant",
  promptHint: "Utilisé par les modèles qui acceptent une invite ; les autres l’ignorent.",
  transcribe: "Transcrire",
  transcribeAgain: "Transcrire de nouveau",

  transcript: "Transcription",
  undo: "Annuler les corrections",
  correct: "Corriger",
  done: "Terminé",
  empty: "La transcription apparaît ici. Cliquez sur un mot pour l’écouter.",
  transcribing: "Transcription de {file}…",
  isEmpty: "{file} est vide.",
  tooLarge: "{file} fait {size}. L’API accepte des fichiers de {max} au plus.",
  transcribed: "Transcrit en {time}.",
  transcribedAudio: "{duration} s d’audio en {time}.",
  noSpeech: "Aucune parole n’a été reconnue.",
  clickWord: "Cliquez sur un mot pour l’écouter.",
  sending: "Envoi de {file}…",
  sent: "{percent, number} % de {file} envoyés",
  inBackground: "Transcrire en arrière-plan",
  inBackgroundHint: "La tâche se poursuit sans cette page.",

  sure: "Fiabilité de {percent, number} % seulement.",
  oneLanguage:
    "{model} ne connaît qu’une langue : {language}. Pour une autre, choisissez un autre modèle ou faites installer un moteur de reconnaissance comme Whisper sur la page « Modèles ».",
  chooseLanguage: "Choisissez la langue de l’enregistrement ou un autre modèle.",
  waveform: "Forme d’onde avec les mots",
  textFrom: "Texte à partir de {time}",
  playFrom: "Lire à partir de {time}",
  confidence: "Indice de confiance de la reconnaissance pour ce segment",
  span: "{start} à {end} s",
  export: "Exporter",
  downloadAs: "Télécharger en {format}",
  copyText: "Copier le texte",

  microphoneDenied:
    "Le navigateur n’a pas autorisé le microphone. Autorisez-le pour cette page dans la barre d’adresse.",
  noMicrophone: "Aucun microphone n’a été trouvé. Connectez-en un et réessayez.",
  microphoneBusy: "Un autre programme utilise le microphone.",
  httpsOnly:
    "<b>Les navigateurs n’accordent le microphone qu’en https ou à localhost.</b> Cette page est à l’adresse <code>{origin}</code>. Deux solutions :",
  serveHttps:
    "La servir en HTTPS : démarrez le serveur avec <code>loquat serve --lan</code>, qui crée un certificat, ou placez un proxy TLS devant.",
  chromeFlag:
    "Dans Chrome ou Edge, ouvrez <flag></flag>, ajoutez-y <code>{origin}</code> et redémarrez le navigateur.",
};
