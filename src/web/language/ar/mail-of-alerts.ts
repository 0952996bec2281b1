/** Arabic messages of the page on which an address agrees to mail of alerts. */
import type { Translations } from "../en/translation.ts";

export const mailOfAlerts: Translations["mailOfAlerts"] = {
  title: "التنبيهات عبر البريد الإلكتروني",
  wholeLink: "افتح الرابط الكامل من الرسالة.",
  ask: "ترغب إحدى المؤسسات على هذا الخادم في إبلاغ <b>{email}</b> بالبريد الإلكتروني عندما تنفق مبلغًا معينًا أو يتبقى لها رصيد قليل.",
  accept: "استلام هذه الرسائل",
  refuse: "عدم استلام أي رسالة",
  gets: "يتلقى {email} تنبيهات <b>{organization}</b> بالبريد الإلكتروني.",
  getsNone: "لا يتلقى {email} تنبيهات <b>{organization}</b> بالبريد الإلكتروني.",
  endHint: "تحتوي كل رسالة على رابط لإلغاء الاشتراك.",
  stop: "إيقاف هذه الرسائل",
  again: "استلام هذه الرسائل من جديد",
};
