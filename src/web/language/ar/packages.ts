/** Arabic messages about model packages. */
import type { Translations } from "../en/translation.ts";

export const packages: Translations["packages"] = {
  offerTitle: "أصوات طبيعية وتعرّف أفضل",
  offerText: "يستخدم هذا الخادم أصواته ومحركات التعرف المدمجة. هذه الحزم مناسبة لهذا الجهاز:",
  sizeUnknown: "الحجم غير معروف",
  languages: "اللغات: {languages}",
  none: "لا شيء",
  languagesOfVoices: "لغات الأصوات",
  tryAgainNow: "إعادة المحاولة الآن",
  install: "تثبيت {count, plural, one {حزمة واحدة} two {حزمتين} few {# حزم} other {# حزمة}}",
  installSize: "تثبيت {count, plural, one {حزمة واحدة} two {حزمتين} few {# حزم} other {# حزمة}}، {size}",
  cancelDownloads: "إلغاء {count, plural, one {التنزيل} other {التنزيلات}}",

  notInstalled: "غير مثبت",
  installed: "مثبت",
  available: "{version} متاح",
  pulling: "جارٍ تنزيل {name}",
  queued: "في قائمة الانتظار",
  connecting: "جارٍ الاتصال، {size}",
  ofSize: "{done} من {total}",
  ofSizeRate: "{done} من {total}، {rate}/s",
  left: "{progress}، يتبقى {time}",
  nextTry: "المحاولة التالية: <time></time>.",
  isKept: "يُحتفظ بما تم تنزيله.",
  mirror: "خلف جدار حماية، اضبط <code>LOQUAT_MIRROR</code> على خادم مرآة.",
  fromDisk:
    "من دون شبكة، انقلها على قرص: <code>loquat models export {name}</code> على جهاز آخر، ثم <code>loquat models import</code> هنا.",

  allDownloads: "كل التنزيلات",
  progress: "{installed, number} من {count, number} حزم، {done}",
  progressOf: "{installed, number} من {count, number} حزم، {done} من {total}",

  licence: "ترخيص {name}: {licence}، في علامة تبويب جديدة",
  licenceOf: "ترخيص {title}",
  accept: "الموافقة وتثبيت {name}",
  mustAccept: "يشترط الناشر موافقتك على الترخيص: <link>{licence} (في علامة تبويب جديدة)</link>",
  accepted: "قرأت الترخيص وأوافق عليه",

  doInstall: "تثبيت",
  doUpdate: "تحديث",
  doRemove: "إزالة",
  installName: "تثبيت {name}",
  updateName: "تحديث {name}",
  removeName: "إزالة {name}",
  tryAgainName: "إعادة المحاولة: {name}",
  cancelName: "إلغاء {name}",
  removeTitle: "هل تريد إزالة {title}؟",
  removeText:
    "ستُحذف <code>{name}</code> من هذا الخادم. ستستخدم نماذجها محركات مثبتة أخرى، أو تصبح غير متاحة.",
  removeTextSize:
    "ستُحذف <code>{name}</code> من هذا الخادم، ما يحرر {size}. ستستخدم نماذجها محركات مثبتة أخرى، أو تصبح غير متاحة.",
};
