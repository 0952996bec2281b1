/** Spanish messages about model packages. */
import type { Translations } from "../en/translation.ts";

export const packages: Translations["packages"] = {
  offerTitle: "Voces naturales y mejor reconocimiento",
  offerText:
    "Este servidor usa sus voces y reconocedores integrados. Estos paquetes son adecuados para este equipo:",
  sizeUnknown: "tamaño desconocido",
  languages: "Idiomas: {languages}",
  none: "ninguno",
  languagesOfVoices: "Idiomas de las voces",
  tryAgainNow: "Reintentar ahora",
  install: "Instalar {count, plural, one {# paquete} other {# paquetes}}",
  installSize: "Instalar {count, plural, one {# paquete} other {# paquetes}}, {size}",
  cancelDownloads: "Cancelar {count, plural, one {la descarga} other {las descargas}}",

  notInstalled: "No instalado",
  installed: "Instalado",
  available: "{version} disponible",
  pulling: "Descargando {name}",
  queued: "En cola",
  connecting: "Conectando, {size}",
  ofSize: "{done} de {total}",
  ofSizeRate: "{done} de {total}, {rate}/s",
  left: "{progress}, faltan {time}",
  nextTry: "Próximo intento: <time></time>.",
  isKept: "Lo descargado se conserva.",
  mirror: "Detrás de un cortafuegos, asigne a <code>LOQUAT_MIRROR</code> un servidor espejo.",
  fromDisk:
    "Sin red, use un disco: <code>loquat models export {name}</code> en otro equipo y después <code>loquat models import</code> aquí.",

  allDownloads: "Todas las descargas",
  progress: "{installed, number} de {count, number} paquetes, {done}",
  progressOf: "{installed, number} de {count, number} paquetes, {done} de {total}",

  licence: "Licencia de {name}: {licence}, en una pestaña nueva",
  licenceOf: "Licencia de {title}",
  accept: "Aceptar e instalar {name}",
  mustAccept: "El editor exige aceptar la licencia: <link>{licence} (en una pestaña nueva)</link>",
  accepted: "He leído y acepto la licencia",

  doInstall: "Instalar",
  doUpdate: "Actualizar",
  doRemove: "Eliminar",
  installName: "Instalar {name}",
  updateName: "Actualizar {name}",
  removeName: "Eliminar {name}",
  tryAgainName: "Reintentar: {name}",
  cancelName: "Cancelar {name}",
  removeTitle: "¿Eliminar {title}?",
  removeText:
    "<code>{name}</code> se elimina de este servidor. Sus modelos usan entonces otros motores instalados o dejan de estar disponibles.",
  removeTextSize:
    "<code>{name}</code> se elimina de este servidor y libera {size}. Sus modelos usan entonces otros motores instalados o dejan de estar disponibles.",
};
