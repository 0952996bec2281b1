/** French messages of conversations with a language model. */
import type { Translations } from "../en/translation.ts";

export const talk: Translations["talk"] = {
  title: "Conversation",
  codeNote: "Le SDK JavaScript d’OpenAI ne se connecte que par wss: et nécessite donc une adresse en https.",
  noConversation:
    "<b>Ce serveur n’a pas de conversation « {name} ».</b> Une conversation nécessite un modèle de langage, que l’opérateur du serveur ajoute, par exemple :",
  inContainer: "Dans un conteneur, <code>{variable}</code> a le même effet.",

  start: "Commencer à parler",
  hold: "Maintenir pour parler",
  mute: "Couper le micro",
  interrupt: "Interrompre",
  end: "Terminer",
  write: "Écrire à l’assistant",
  send: "Envoyer",

  dialogue: "Dialogue",
  appearsHere: "Ce que vous et l’assistant dites apparaît ici.",
  timesFrom: "Les temps sont comptés à partir de la fin de votre tour de parole.",
  you: "Vous :",
  assistant: "Assistant :",
  notHeard: "(non entendu :)",
  interrupted: "Interrompue",
  functionCall: "Appel de fonction :",
  incomplete: "La réponse est incomplète ({reason}).",

  stages: "Temps après votre tour de parole",
  transcript: "Transcription",
  firstToken: "Premier token",
  firstClause: "Premier segment",
  firstSound: "Premier son",
  measuredHere: "Mesuré par cette page",

  settings: "Paramètres",
  conversationHint: "Le nom que les clients indiquent comme modèle",
  voice: "Voix",
  ofConversation: "Celle de la conversation",
  instructionsHint: "Vide : celles de la conversation. Elles s’appliquent dès la réponse suivante.",
  offerTime: "Proposer une fonction : l’heure actuelle",

  connecting: "Connexion…",
  waiting: "En attente de la réponse…",
  answering: "L’assistant répond.",
  holdHint: "Maintenez le bouton pendant que vous parlez, ou appuyez avant et après.",
  muted: "Votre micro est coupé.",
  connected: "Connecté. Écrivez quelque chose ou commencez à parler.",
  withoutMicrophone: "{problem} Vous pouvez aussi écrire à l’assistant sans micro.",
  over: "La conversation est terminée.",
};
