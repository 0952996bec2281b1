/** French messages of live transcription. */
import type { Translations } from "../en/translation.ts";

export const live: Translations["live"] = {
  title: "Transcription en direct",
  needsNode: "Le code JavaScript nécessite un navigateur ou Node 22, dont le WebSocket est intégré.",
  start: "Activer le microphone",
  finishing: "Finalisation…",
  listening: "À l’écoute. Vous pouvez parler.",
  youSpeak: "Vous parlez.",
  listeningOn: "À l’écoute.",
  stopped: "Arrêté.",
  opening: "Ouverture du microphone…",
  finishingLast: "Finalisation du dernier énoncé…",
  late: "Aucun nouveau mot depuis {seconds, number} s : le serveur est occupé, ou le modèle les donne à la fin de la phrase.",
  transcript: "Transcription en direct",
  after: "{delay} après la fin de votre énoncé",
  appearsHere: "Ce que vous dites apparaît ici.",
  cameAfter: "Le texte est arrivé {delay} après la fin de votre énoncé.",
  cameAfterMedian: "Le texte est arrivé {delay} après la fin de votre énoncé, avec une médiane de {median}.",
  endOfTurn: "Fin d’un tour de parole",
  afterSilence: "Après une demi-seconde de silence",
  afterSentence: "Quand la phrase semble complète",
  pushToTalk: "À mon signal : appuyer pour parler",
  lost: "La connexion au serveur a été perdue. Redémarrez pour continuer.",
  closed: "La connexion a été fermée : {reason}.",
};
