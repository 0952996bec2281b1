/** English words that reveal the part of speech of the word beside them. */
const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

export const DETERMINERS = words(`
  the a an my your his her its our their this these those no any every each another either neither whose
  two three four five six seven eight nine ten many several few both some all
`);

/** What may begin the object of a verb. */
export const OBJECTS = words(`
  the a an my your his her its our their this that these those it them him me us all every both everything something
  yourself myself themselves
`);

export const SUBJECTS = words("i you we they he she who people");

export const PLURALS = words("people men women children police everyone");

export const BE = words(`
  am is are was were be been being isn't aren't wasn't weren't i'm you're we're they're he's she's it's that's who's
  get gets got getting
`);

export const HAVE = words(`
  have has had having haven't hasn't hadn't i've you've we've they've who've could've should've would've might've
`);

/** What a bare verb follows. */
export const AUXILIARIES = words(`
  will would can could may might must shall should do does did don't doesn't didn't won't wouldn't can't cannot couldn't
  mustn't shouldn't needn't i'll you'll he'll she'll it'll we'll they'll i'd you'd he'd she'd we'd they'd let's please
  gonna wanna gotta
`);

export const PREPOSITIONS = words(`
  of in for with without into on from by at about than via per during under over between upon within after before
  against through
`);

/** Adjectives that often stand before a noun which could be a verb. */
export const ADJECTIVES = words(`
  good better best bad worse worst new old first last next only own same other great full fair heavy daily personal public
  private commercial single further final common proper free fresh local organic long short big small little medical
  financial recent early late annual strong poor rough general special illegal medicinal frequent regular current
  household internal external emotional direct present native gradual
`);

export const ADVERBS = words(
  "not n't always never also just ever even still only already now often usually soon then really quite well again",
);

const OTHERS = words(`
  and or but nor so yet if because while when where as to up down out off away back here there too very more most less what
  which that why how it him me us them everyone everybody someone somebody nobody anyone
`);

export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  [DETERMINERS, OBJECTS, SUBJECTS, BE, HAVE, AUXILIARIES, PREPOSITIONS, ADVERBS, OTHERS].flatMap((each) => [
    ...each,
  ]),
);
