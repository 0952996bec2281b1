/**
 * Small words by which a sentence may be cut, by language. A language without an entry is cut at its marks alone.
 *
 *   clauses   begin a clause: a pause before them is natural, unless the word before binds
 *   binds     never stand before a pause: articles, possessives, prepositions, auxiliaries, conjunctions, negations
 *   numbers   words of numbers, which are read in one breath with the next word of the number
 */
import { primaryLanguage } from "../../language-tag.ts";

/** `prepositions` begin a phrase where one of `determiners` follows: "in the evening", and not "turn on" or "one by one". */
export type FunctionWords = {
  clauses: ReadonlySet<string>;
  binds: ReadonlySet<string>;
  numbers: ReadonlySet<string>;
  prepositions: ReadonlySet<string>;
  determiners: ReadonlySet<string>;
};

type Lists = {
  clauses: string;
  binds: string;
  numbers?: string;
  prepositions?: string;
  determiners?: string;
};

const PREPOSITIONS =
  "for with from into in on at by to about through during under over against between without across behind beside near";
const DETERMINERS =
  "the a an my your his her its our their this these those that each every all some any no both";

const LISTS: Record<string, Lists> = {
  en: {
    clauses: `and or but because which who whom whose when where while until unless although though if whether since before
      after so that why`,
    binds: `${PREPOSITIONS} ${DETERMINERS}
      of off up upon within onto towards toward than like per via as until till since before after around above below along
      among beyond despite except inside outside past beneath
      am is are was were be been being have has had having do does did will would shall should can could may might must ought
      isn't aren't wasn't weren't haven't hasn't hadn't don't doesn't didn't won't wouldn't shan't shouldn't can't cannot
      couldn't mustn't needn't i'm you're he's she's it's we're they're that's there's i've you've we've they've i'd you'd he'd
      she'd we'd they'd i'll you'll he'll she'll it'll we'll they'll let's
      and or but nor so yet because which who whom whose when where while unless although though if whether what how why
      i he she we they not never very too more most less least such another either neither only even just ever almost rather
      quite doctor mister missus miss professor saint`,
    numbers: `zero oh one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
      eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion point
      minus half quarter first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
      fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth fiftieth sixtieth seventieth
      eightieth ninetieth hundredth thousandth millionth`,
    prepositions: PREPOSITIONS,
    determiners: DETERMINERS,
  },
  es: {
    clauses: "y e o u pero sino aunque porque cuando donde mientras si",
    binds: `el la los las lo un una unos unas al del mi mis tu tus su sus nuestro nuestra nuestros nuestras este esta estos estas
      ese esa esos esas aquel aquella cada todo toda todos todas a ante bajo con contra de desde durante en entre hacia hasta
      para por según sin sobre tras y e o u ni pero sino aunque porque que cuando donde mientras si como muy más menos tan no
      nunca he has ha hemos han había habían he sido ser es son era eran fue fueron está están estaba estaban puede pueden
      podía debe deben va van me te se nos les le solo incluso`,
    numbers: `uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince veinte treinta cuarenta
      cincuenta sesenta setenta ochenta noventa cien ciento doscientos trescientos cuatrocientos quinientos seiscientos
      setecientos ochocientos novecientos mil millón millones coma`,
  },
  fr: {
    clauses: "et ou mais car parce quand où pendant lorsque puisque si",
    binds: `le la les l un une des du au aux de d mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs ce cet cette ces
      chaque tout toute tous toutes à avec chez contre dans depuis derrière dès devant durant en entre jusque jusqu jusqu'à par
      pendant pour sans selon sous sur vers et ou ni mais car donc parce que qu qui dont quand où lorsque puisque si comme très
      plus moins aussi ne n pas je tu il elle on nous vous ils elles me te se ai as a avons avez ont avait avaient suis es est
      sommes êtes sont était étaient sera seront peut peuvent doit doivent va vont même seulement`,
    numbers: `un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingt vingts trente quarante
      cinquante soixante septante huitante nonante cent cents mille million millions virgule`,
  },
  de: {
    clauses: "und oder aber denn dass weil wenn als wo während ob obwohl damit bevor nachdem sobald",
    binds: `der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner mein meine meinen meinem
      meiner dein deine sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer unser unsere unseren unserem unserer euer
      eure dieser diese dieses diesen diesem jeder jede jedes jeden jedem an am ans auf aus außer bei beim bis durch für gegen
      gegenüber hinter im in ins mit nach neben ohne seit über um unter vom von vor während wegen zu zum zur zwischen und oder
      aber denn dass weil wenn als wo ob obwohl damit bevor nachdem sobald wie sehr zu so nicht nie bin bist ist sind seid war
      waren habe hast hat haben hatte hatten werde wird werden wurde wurden würde würden kann können konnte muss müssen musste
      soll sollen sollte will wollen wollte darf dürfen mag ich er wir man auch nur sogar selbst`,
    numbers: "hundert tausend million millionen milliarde milliarden komma",
  },
  it: {
    clauses: "e ed o ma perché quando dove mentre se",
    binds: `il lo la i gli le l un uno una del dello della dei degli delle al allo alla ai agli alle dal dallo dalla dai dagli dalle
      nel nello nella nei negli nelle sul sullo sulla sui sugli sulle mio mia miei mie tuo tua suo sua suoi sue nostro nostra
      vostro vostra loro questo questa questi queste quel quello quella quei quelle ogni di a da in con su per tra fra senza
      verso dopo prima durante contro sotto sopra e ed o ma né perché che chi cui quando dove mentre se come molto più meno non
      mai ho hai ha abbiamo avete hanno aveva avevano sono sei è siamo siete era erano sarà può possono deve devono va vanno mi
      ti si ci vi anche solo`,
    numbers: "cento mila mille milione milioni miliardo miliardi virgola",
  },
  pt: {
    clauses: "e ou mas porque quando onde enquanto se embora",
    binds: `o a os as um uma uns umas ao aos à às do da dos das no na nos nas num numa pelo pela pelos pelas dum duma meu minha meus
      minhas teu tua seu sua seus suas nosso nossa nossos nossas este esta estes estas esse essa esses essas aquele aquela cada
      todo toda todos todas de em com por para sem sob sobre até desde entre contra após perante e ou nem mas porque que quem
      quando onde enquanto se embora como muito mais menos tão não nunca ser sou é são era eram foi foram está estão estava
      estavam tem têm tinha tinham há pode podem deve devem vai vão me te se lhe também só`,
    numbers: `um uma dois duas três quatro cinco seis sete oito nove dez onze doze treze catorze quatorze quinze dezesseis dezasseis
      dezessete dezassete dezoito dezenove dezanove vinte trinta quarenta cinquenta sessenta setenta oitenta noventa cem cento
      duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos mil milhão milhões vírgula`,
  },
  ru: {
    clauses: "и или но а что чтобы потому когда где если пока",
    binds: `в во на с со к ко о об обо от ото из изо у за до по под подо над для без при про через перед между около после ради
      кроме и или но а что чтобы потому когда где если пока как чем не ни очень более менее самый самая самое самые мой моя моё
      мои твой его её наш наша наше наши ваш их этот эта это эти тот та те каждый весь вся всё все был была было были будет
      будут есть быть может могут должен только даже так того`,
    numbers: `один одна одно два две три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать
      четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать двадцать тридцать сорок пятьдесят шестьдесят
      семьдесят восемьдесят девяносто сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот тысяча тысячи
      тысяч миллион миллиона миллионов целых`,
  },
  hi: {
    clauses: "और या लेकिन कि जब जो जहाँ क्योंकि ताकि अगर",
    binds: "और या लेकिन कि जब जो जहाँ क्योंकि ताकि अगर मेरा मेरी मेरे हमारा हमारी हमारे यह वह ये वे इस उस एक नहीं न बहुत",
    numbers:
      "एक दो तीन चार पाँच छह सात आठ नौ दस बीस तीस चालीस पचास साठ सत्तर अस्सी नब्बे सौ हज़ार हजार लाख करोड़ दशमलव",
  },
};

const setOf = (list = ""): ReadonlySet<string> => new Set(list.split(/\s+/).filter((word) => word !== ""));

const BY_LANGUAGE = new Map(
  Object.entries(LISTS).map(([language, lists]): [string, FunctionWords] => [
    language,
    {
      clauses: setOf(lists.clauses),
      binds: setOf(lists.binds),
      numbers: setOf(lists.numbers),
      prepositions: setOf(lists.prepositions),
      determiners: setOf(lists.determiners),
    },
  ]),
);

const NONE: FunctionWords = {
  clauses: new Set(),
  binds: new Set(),
  numbers: new Set(),
  prepositions: new Set(),
  determiners: new Set(),
};

/** Of a language tag; without a list, no word begins a phrase, and none binds. */
export const functionWordsOf = (language: string): FunctionWords =>
  BY_LANGUAGE.get(primaryLanguage(language)) ?? NONE;
