/** Spanish messages that many pages share. */
import type { Translations } from "../en/translation.ts";

export const controls: Translations["controls"] = {
  language: "Idioma",
  partialLanguage: "{name} (parcial)",

  cancel: "Cancelar",
  close: "Cerrar",
  done: "Listo",
  previous: "Anterior",
  next: "Siguiente",
  show: "Mostrar",
  hide: "Ocultar",
  details: "Detalles",
  saved: "Guardado.",
  all: "Todos",
  loading: "Cargando",
  tryAgain: "Reintentar",
  reload: "Volver a cargar",

  copy: "Copiar",
  copied: "Copiado",
  pressToCopy: "Pulse Ctrl+C para copiar",
  copyLink: "Copiar enlace",
  copyTheCode: "Copiar el código",

  passwordHint: "Al menos 10 caracteres.",
  showField: "Mostrar: {field}",
  hideField: "Ocultar: {field}",
  codeOfApp: "Código de la aplicación",
  codeOrRecovery: "Código de la aplicación de autenticación o un código de recuperación",
  confirmTitle: "Confirme su identidad",
  confirm: "Confirmar",
  confirmText: "Esta acción requiere un código del segundo factor. Es válido durante 15 minutos.",
  notConfirmed: "Sin confirmación: no se ha cambiado nada.",
  fixFields: "Corrija los campos resaltados.",

  unreachable: "No se puede conectar con el servidor. Compruebe la conexión e inténtelo de nuevo.",
  reconnecting: "<b>Reconectando…</b> El servidor no responde. Esta página muestra los datos de las {time}.",
  connection: "Conexión",
  updated: "<b>Loquat se ha actualizado.</b> Vuelva a cargar la página para usar la nueva versión.",
  pageNotLoaded: "No se ha podido cargar esta página.",
  partNotLoaded: "No se ha podido cargar esta parte de la página.",
  pageOpens: "No se puede conectar con el servidor. La página se abrirá en cuanto responda.",
  partAppears: "No se puede conectar con el servidor. Esta parte aparecerá en cuanto responda.",
  mayBeUpdated:
    "Es posible que Loquat se haya actualizado. Vuelva a cargar la página para obtener la versión actual.",
  pageStopped:
    "<b>Esta página se ha detenido por un error de Loquat.</b> Vuelva a cargarla. Si el problema continúa, comunique este mensaje:",
  partStopped:
    "<b>Esta parte de la página se ha detenido por un error de Loquat.</b> Vuelva a cargar la página. Si el problema continúa, comunique este mensaje:",
  noMail: "Este servidor no envía correo electrónico. El operador encuentra los mensajes en una carpeta.",

  spokenBy: "Voz: {voice}.",
  spokenByOf: "Voz: {voice}, de {model}.",
  noVoice: "No hay ninguna voz instalada en este servidor. Consulte: loquat doctor",
  playSample: "Reproducir una muestra de {voice}",
  stopSample: "Detener la muestra de {voice}",
};
