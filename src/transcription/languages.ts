/** ISO 639-1 codes and the lower-case English names that verbose transcripts carry. */
const NAMES: Record<string, string> = Object.fromEntries(
  (
    "af afrikaans,ar arabic,hy armenian,az azerbaijani,be belarusian,bs bosnian,bg bulgarian,ca catalan,zh chinese," +
    "hr croatian,cs czech,da danish,nl dutch,en english,et estonian,fi finnish,fr french,gl galician,de german," +
    "el greek,he hebrew,hi hindi,hu hungarian,is icelandic,id indonesian,it italian,ja japanese,kn kannada,kk kazakh," +
    "ko korean,lv latvian,lt lithuanian,mk macedonian,ms malay,mr marathi,mi maori,ne nepali,no norwegian,fa persian," +
    "pl polish,pt portuguese,ro romanian,ru russian,sr serbian,sk slovak,sl slovenian,es spanish,sw swahili," +
    "sv swedish,tl tagalog,ta tamil,th thai,tr turkish,uk ukrainian,ur urdu,vi vietnamese,cy welsh"
  )
    .split(",")
    .map((pair) => pair.split(" ") as [string, string]),
);

/** "english" for "en"; a code without a known name stands for itself. */
export function languageName(code: string): string {
  return Object.hasOwn(NAMES, code) ? NAMES[code]! : code;
}
