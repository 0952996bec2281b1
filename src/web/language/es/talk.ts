/** Spanish messages of conversations with a language model. */
import type { Translations } from "../en/translation.ts";

export const talk: Translations["talk"] = {
  title: "Conversación",
  codeNote:
    "El SDK de JavaScript de OpenAI solo se conecta por wss:, así que necesita una dirección con https.",
  noConversation:
    "<b>Este servidor no tiene la conversación «{name}».</b> Una conversación necesita un modelo de lenguaje, que añade el operador del servidor; por ejemplo:",
  inContainer: "En un contenedor, <code>{variable}</code> hace lo mismo.",

  start: "Empezar a hablar",
  hold: "Mantener pulsado para hablar",
  mute: "Silenciar",
  interrupt: "Interrumpir",
  end: "Finalizar",
  write: "Escribir al asistente",
  send: "Enviar",

  dialogue: "Diálogo",
  appearsHere: "Aquí aparece lo que dicen usted y el asistente.",
  timesFrom: "Los tiempos se cuentan desde el final de su turno.",
  you: "Usted:",
  assistant: "Asistente:",
  notHeard: "(no se oyó:)",
  interrupted: "Interrumpida",
  functionCall: "Llamada a función:",
  incomplete: "La respuesta está incompleta ({reason}).",

  stages: "Tiempo tras su turno",
  transcript: "Transcripción",
  firstToken: "Primer token",
  firstClause: "Primera frase",
  firstSound: "Primer audio",
  measuredHere: "Medido por esta página",

  settings: "Ajustes",
  conversationHint: "El nombre que los clientes indican como modelo",
  voice: "Voz",
  ofConversation: "La de la conversación",
  instructionsHint: "Vacío: las de la conversación. Se aplican a partir de la siguiente respuesta.",
  offerTime: "Ofrecer una función: la hora actual",

  connecting: "Conectando…",
  waiting: "Esperando la respuesta…",
  answering: "El asistente responde.",
  holdHint: "Mantenga pulsado el botón mientras habla, o púlselo antes y después.",
  muted: "Su micrófono está silenciado.",
  connected: "Conectado. Escriba algo o empiece a hablar.",
  withoutMicrophone: "{problem} También puede escribir al asistente sin micrófono.",
  over: "La conversación ha terminado.",
};
