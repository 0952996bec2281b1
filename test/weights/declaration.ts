/** Article 1 of the Universal Declaration of Human Rights in the languages for which `sentences.ts` has none. */
export const DECLARATION: Record<string, string[]> = {
  ar: [
    "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق.",
    "وقد وهبوا عقلا وضميرا وعليهم أن يعامل بعضهم بعضا بروح الإخاء.",
  ],
  bg: [
    "Всички хора се раждат свободни и равни по достойнство и права.",
    "Те са надарени с разум и съвест и следва да се отнасят помежду си в дух на братство.",
  ],
  ca: [
    "Tots els éssers humans neixen lliures i iguals en dignitat i en drets.",
    "Són dotats de raó i de consciència, i han de comportar-se fraternalment els uns amb els altres.",
  ],
  cs: [
    "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv.",
    "Jsou nadáni rozumem a svědomím a mají spolu jednat v duchu bratrství.",
  ],
  cy: [
    "Genir pawb yn rhydd ac yn gydradd â'i gilydd mewn urddas a hawliau.",
    "Fe'u cynysgaeddir â rheswm a chydwybod, a dylai pawb ymddwyn y naill at y llall mewn ysbryd cymodlon.",
  ],
  da: [
    "Alle mennesker er født frie og lige i værdighed og rettigheder.",
    "De er udstyret med fornuft og samvittighed, og de bør handle mod hverandre i en broderskabets ånd.",
  ],
  el: [
    "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
    "Είναι προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα αδελφοσύνης.",
  ],
  et: [
    "Kõik inimesed sünnivad vabadena ja võrdsetena oma väärikuselt ja õigustelt.",
    "Neile on antud mõistus ja südametunnistus ja nende suhtumist üksteisesse peab kandma vendluse vaim.",
  ],
  eu: [
    "Gizon emakume guztiak aske jaiotzen dira, duintasun eta eskubide berberak dituztela.",
    "Ezaguera eta kontzientzia dutenez gero, elkarren artean senide legez jokatu beharra dute.",
  ],
  fa: [
    "تمام افراد بشر آزاد به دنیا می‌آیند و از لحاظ حیثیت و حقوق با هم برابرند.",
    "همه دارای عقل و وجدان هستند و باید نسبت به یکدیگر با روح برادری رفتار کنند.",
  ],
  fi: [
    "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan.",
    "Heille on annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä.",
  ],
  hi: [
    "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।",
    "उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है और परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए।",
  ],
  hr: [
    "Sva ljudska bića rađaju se slobodna i jednaka u dostojanstvu i pravima.",
    "Ona su obdarena razumom i sviješću i trebaju jedna prema drugima postupati u duhu bratstva.",
  ],
  hu: [
    "Minden emberi lény szabadon születik és egyenlő méltósága és joga van.",
    "Az emberek ésszel és lelkiismerettel bírván, egymással szemben testvéri szellemben kell hogy viseltessenek.",
  ],
  id: [
    "Semua orang dilahirkan merdeka dan mempunyai martabat dan hak yang sama.",
    "Mereka dikaruniai akal dan hati nurani dan hendaknya bergaul satu sama lain dalam semangat persaudaraan.",
  ],
  is: [
    "Hver maður er borinn frjáls og jafn öðrum að virðingu og réttindum.",
    "Menn eru gæddir vitsmunum og samvisku, og ber þeim að breyta bróðurlega hverjum við annan.",
  ],
  ja: [
    "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。",
  ],
  ka: [
    "ყველა ადამიანი იბადება თავისუფალი და თანასწორი თავისი ღირსებითა და უფლებებით.",
    "მათ მინიჭებული აქვთ გონება და სინდისი და ერთმანეთის მიმართ უნდა იქცეოდნენ ძმობის სულისკვეთებით.",
  ],
  kk: [
    "Барлық адамдар тумысынан азат және қадір-қасиеті мен құқықтары тең болып дүниеге келеді.",
    "Адамдарға ақыл-парасат, ар-ождан берілген, сондықтан олар бір-бірімен туыстық қарым-қатынас жасаулары тиіс.",
  ],
  ko: [
    "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
    "인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다.",
  ],
  lb: [
    "All Mënsch kënnt fräi a mat deer selwechter Dignitéit an dene selwechte Rechter op d'Welt.",
    "Jiddereen huet säi Verstand a säi Gewësse krut a soll an engem Geescht vu Bridderlechkeet denen anere géintiwwer handelen.",
  ],
  lt: [
    "Visi žmonės gimsta laisvi ir lygūs savo orumu ir teisėmis.",
    "Jiems suteiktas protas ir sąžinė ir jie turi elgtis vienas kito atžvilgiu kaip broliai.",
  ],
  lv: [
    "Visi cilvēki piedzimst brīvi un vienlīdzīgi savā pašcieņā un tiesībās.",
    "Viņi ir apveltīti ar saprātu un sirdsapziņu, un viņiem jāizturas citam pret citu brālības garā.",
  ],
  ml: [
    "മനുഷ്യരെല്ലാവരും തുല്യാവകാശങ്ങളോടും അന്തസ്സോടും സ്വാതന്ത്ര്യത്തോടും കൂടി ജനിച്ചവരാണ്.",
    "അന്യോന്യം ഭ്രാതൃഭാവത്തോടെ പെരുമാറുവാനാണ് മനുഷ്യന് വിവേകബുദ്ധിയും മനസ്സാക്ഷിയും സിദ്ധമായിരിക്കുന്നത്.",
  ],
  ne: [
    "सबै व्यक्तिहरू जन्मजात स्वतन्त्र हुन् ती सबैको समान अधिकार र महत्व छ।",
    "निजहरूमा विचार शक्ति र सद्विचार भएकोले निजहरूले आपसमा भातृत्वको भावनाबाट व्यवहार गर्नु पर्छ।",
  ],
  nl: [
    "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren.",
    "Zij zijn begiftigd met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.",
  ],
  no: [
    "Alle mennesker er født frie og med samme menneskeverd og menneskerettigheter.",
    "De er utstyrt med fornuft og samvittighet og bør handle mot hverandre i brorskapets ånd.",
  ],
  pl: [
    "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw.",
    "Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.",
  ],
  ro: [
    "Toate ființele umane se nasc libere și egale în demnitate și în drepturi.",
    "Ele sunt înzestrate cu rațiune și conștiință și trebuie să se comporte unele față de altele în spiritul fraternității.",
  ],
  sk: [
    "Všetci ľudia sa rodia slobodní a sebe rovní, čo sa týka ich dôstojnosti a práv.",
    "Sú obdarení rozumom a svedomím a majú navzájom jednať v bratskom duchu.",
  ],
  sl: [
    "Vsi ljudje se rodijo svobodni in imajo enako dostojanstvo in enake pravice.",
    "Obdarjeni so z razumom in vestjo in bi morali ravnati drug z drugim kakor bratje.",
  ],
  sq: [
    "Të gjithë njerëzit lindin të lirë dhe të barabartë në dinjitet dhe në të drejta.",
    "Ata kanë arsye dhe ndërgjegje dhe duhet të sillen ndaj njëri tjetrit me frymë vëllazërimi.",
  ],
  sv: [
    "Alla människor är födda fria och lika i värde och rättigheter.",
    "De är utrustade med förnuft och samvete och bör handla gentemot varandra i en anda av broderskap.",
  ],
  sw: [
    "Watu wote wamezaliwa huru, hadhi na haki zao ni sawa.",
    "Wote wamejaliwa akili na dhamiri, hivyo yapasa watendeane kindugu.",
  ],
  te: [
    "ప్రతిపత్తిస్వత్వముల విషయమున మానవులెల్లరును జన్మతః స్వతంత్రులును సమానులును నగుదురు.",
    "వారు వివేదన అంతఃకరణ సంపన్నులగుటచే పరస్పరము భ్రాతృభావముతో వర్తింపవలయును.",
  ],
  tr: [
    "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar.",
    "Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler.",
  ],
  uk: [
    "Всі люди народжуються вільними і рівними у своїй гідності та правах.",
    "Вони наділені розумом і совістю і повинні діяти у відношенні один до одного в дусі братерства.",
  ],
  vi: [
    "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền.",
    "Mọi con người đều được tạo hóa ban cho lý trí và lương tâm và cần phải đối xử với nhau trong tình bằng hữu.",
  ],
  zh: ["人人生而自由，在尊严和权利上一律平等。", "他们赋有理性和良心，并应以兄弟关系的精神相对待。"],
};
