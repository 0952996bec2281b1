/** Arabic messages that many pages share. */
import type { Translations } from "../en/translation.ts";

export const controls: Translations["controls"] = {
  language: "اللغة",
  partialLanguage: "{name} (جزئية)",

  cancel: "إلغاء",
  close: "إغلاق",
  done: "تم",
  previous: "السابق",
  next: "التالي",
  show: "إظهار",
  hide: "إخفاء",
  details: "التفاصيل",
  saved: "تم الحفظ.",
  all: "الكل",
  loading: "جارٍ التحميل",
  tryAgain: "إعادة المحاولة",
  reload: "إعادة التحميل",

  copy: "نسخ",
  copied: "تم النسخ",
  pressToCopy: "اضغط Ctrl+C للنسخ",
  copyLink: "نسخ الرابط",
  copyTheCode: "نسخ الرمز",

  passwordHint: "10 أحرف على الأقل.",
  showField: "إظهار {field}",
  hideField: "إخفاء {field}",
  codeOfApp: "رمز التطبيق",
  codeOrRecovery: "رمز تطبيق المصادقة أو أحد رموز الاسترداد",
  confirmTitle: "تأكيد هويتك",
  confirm: "تأكيد",
  confirmText: "يتطلب هذا الإجراء رمزًا من العامل الثاني، وهو صالح لمدة 15 دقيقة.",
  notConfirmed: "لم يتم التأكيد، لذا لم يتغير شيء.",
  fixFields: "يُرجى تصحيح الحقول المميزة.",

  unreachable: "تعذر الوصول إلى الخادم. تحقق من الاتصال وحاول مرة أخرى.",
  reconnecting: "<b>جارٍ إعادة الاتصال…</b> الخادم لا يستجيب. تعرض هذه الصفحة بيانات الساعة {time}.",
  connection: "الاتصال",
  updated: "<b>تم تحديث Loquat.</b> أعد تحميل الصفحة لاستخدام الإصدار الجديد.",
  pageNotLoaded: "تعذر تحميل هذه الصفحة.",
  partNotLoaded: "تعذر تحميل هذا الجزء من الصفحة.",
  pageOpens: "تعذر الوصول إلى الخادم. ستُفتح الصفحة فور استجابته.",
  partAppears: "تعذر الوصول إلى الخادم. سيظهر هذا الجزء فور استجابته.",
  mayBeUpdated: "ربما تم تحديث Loquat. أعد تحميل الصفحة للحصول على الإصدار الحالي.",
  pageStopped:
    "<b>توقفت هذه الصفحة بسبب خطأ في Loquat.</b> أعد تحميلها. إذا استمرت المشكلة، فأبلغ عن هذه الرسالة:",
  partStopped:
    "<b>توقف هذا الجزء من الصفحة بسبب خطأ في Loquat.</b> أعد تحميل الصفحة. إذا استمرت المشكلة، فأبلغ عن هذه الرسالة:",
  noMail: "لا يرسل هذا الخادم بريدًا إلكترونيًا. يجد المشغّل الرسائل في مجلد.",

  spokenBy: "الصوت: {voice}.",
  spokenByOf: "الصوت: {voice}، من {model}.",
  noVoice: "لا يوجد صوت مثبت على هذا الخادم. راجع: loquat doctor",
  playSample: "تشغيل عينة من {voice}",
  stopSample: "إيقاف عينة {voice}",
};
