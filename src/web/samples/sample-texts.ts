/** A text to try in each language, and the short one that introduces a voice. */

type Sample = { text: string; voice: string };

const ENGLISH: Sample = {
  text: "Loquats ripen in spring, when most fruit is still in flower. Bring a basket, and come before the birds do.",
  voice: "Good morning. This is how I sound.",
};

const SAMPLES: Record<string, Sample> = {
  en: ENGLISH,
  es: {
    text: "Los nísperos maduran en primavera, cuando casi toda la fruta está aún en flor. Trae una cesta y llega antes que los pájaros.",
    voice: "Buenos días. Así suena mi voz.",
  },
  fr: {
    text: "Les nèfles du Japon mûrissent au printemps, quand la plupart des fruits sont encore en fleur. Apportez un panier et venez avant les oiseaux.",
    voice: "Bonjour. Voici ma voix.",
  },
  de: {
    text: "Wollmispeln reifen im Frühling, wenn das meiste Obst noch blüht. Bringen Sie einen Korb mit und kommen Sie vor den Vögeln.",
    voice: "Guten Morgen. So klingt meine Stimme.",
  },
  it: {
    text: "Le nespole maturano in primavera, quando quasi tutta la frutta è ancora in fiore. Porta un cesto e arriva prima degli uccelli.",
    voice: "Buongiorno. Questa è la mia voce.",
  },
  pt: {
    text: "As nêsperas amadurecem na primavera, quando quase todas as frutas ainda estão em flor. Traga um cesto e chegue antes dos pássaros.",
    voice: "Bom dia. Esta é a minha voz.",
  },
  hi: {
    text: "लोकाट वसंत में पकता है, जब ज़्यादातर पेड़ों पर अभी फूल होते हैं। एक टोकरी लाइए और पक्षियों से पहले आइए।",
    voice: "नमस्ते। मेरी आवाज़ ऐसी है।",
  },
  zh: {
    text: "枇杷在春天成熟，那时多数果树还在开花。带上篮子，赶在鸟儿之前来吧。",
    voice: "早上好。这就是我的声音。",
  },
  ru: {
    text: "Мушмула созревает весной, когда большинство деревьев ещё цветёт. Возьмите корзину и приходите раньше птиц.",
    voice: "Доброе утро. Так звучит мой голос.",
  },
  ja: {
    text: "びわは春の終わりに実ります。かごを持って、鳥より先に来てください。",
    voice: "おはようございます。これが私の声です。",
  },
};

/** English where there is none of the language. */
export const sampleOf = (language: string): Sample => SAMPLES[language] ?? ENGLISH;

/** Whether the text is one of the samples as it is. */
export const isSample = (text: string): boolean => Object.values(SAMPLES).some((each) => each.text === text);

/** Those of these languages that have a sample of their own. */
export const sampleLanguages = (languages: string[]): string[] =>
  languages.filter((language) => language in SAMPLES);
