/** Spanish messages of the set-up of a new server. */
import type { Translations } from "../en/translation.ts";

export const setUp: Translations["setUp"] = {
  title: "Configurar este servidor",
  operates: "Esta cuenta opera el servidor. No se envía ningún correo electrónico.",
  notSetUp: "Este servidor no está configurado",
  openLink:
    "Abra el enlace de configuración que el servidor mostró al iniciarse, o genere otro en su equipo con <code>loquat admin link</code>.",
  linkField: "Enlace de configuración o su código",
  withoutLink:
    "Sin el enlace, la primera persona que verifique una dirección de correo será el operador. <link>Crear una cuenta</link>",
  isSetUp: "Este servidor está configurado",
  hasOperator: "Ya tiene un operador. <link>Iniciar sesión</link>",
  continue: "Continuar",

  steps: "Pasos",
  account: "Cuenta",
  purpose: "Finalidad",
  purposeTitle: "¿Para qué es este servidor?",
  voices: "Voces",
  voicesTitle: "Escuche las voces",
  done: "Escuchar",
  doneTitle: "Su servidor está listo",

  forMe: "Para mí",
  forMeText: "Sin crédito, sin precios y con los límites de este equipo. Nadie más puede registrarse.",
  forTeam: "Para un equipo",
  forTeamText: "Lo mismo para las personas que invite. El uso se muestra por proyecto y clave.",
  forSale: "Para clientes",
  forSaleText:
    "Los clientes se registran y pagan con crédito prepagado. Los pagos requieren configurar Stripe.",
  changeLater:
    "Puede cambiarlo en cualquier momento en «Servidor»: los planes en la página «Organizaciones» y quién puede registrarse en la página «Usuarios».",

  voicesText:
    "Las voces integradas ya funcionan. Los paquetes de modelos suenan mejor y admiten más idiomas; se descargan una sola vez en este servidor y no requieren reiniciarlo.",
  continueBuiltIn: "Continuar con las voces integradas",
  play: "Reproducir",
  connect: "Conectar una aplicación",
  openDashboard: "Abrir el panel",
  missing:
    "{count, plural, one {Un paquete no está instalado} other {# paquetes no están instalados}}: {packages}. Las voces integradas funcionan. El servidor lo intenta de nuevo automáticamente; la página <link>Modelos</link> indica el motivo.",
};
