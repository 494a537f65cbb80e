//! Two stories in eight languages, written for the tests: with and without spaces between words,
//! from the left and from the right.

/// A story of three paragraphs, by language code.
pub const LIGHTHOUSE: &[(&str, [&str; 3])] = &[
    (
        "en",
        [
            "The old lighthouse on the northern cape was repaired last winter by a small group of \
             volunteers from the village. They carried every single stone up the steep path \
             because no car can reach the rocks. Dr. Hale paid for the lamp.",
            "During the works the group found a box of letters that the last keeper had hidden \
             behind the stairs in the year of the great storm. The letters describe how the \
             fishing boats were led home through the fog by a bell and two lanterns.",
            "From the first of May the tower will be open to visitors on every second Sunday of \
             the month, as long as the wind allows it. The entrance fee goes to the rescue boat \
             that still waits in the harbor below.",
        ],
    ),
    (
        "de",
        [
            "Der alte Leuchtturm am nördlichen Kap wurde im letzten Winter von einer kleinen \
             Gruppe aus dem Dorf wieder aufgebaut. Jeden einzelnen Stein trugen die Leute den \
             steilen Weg hinauf, weil kein Wagen die Felsen erreichen kann.",
            "Bei den Arbeiten fand die Gruppe eine Kiste mit Briefen, die der letzte Wärter im \
             Jahr der großen Sturmflut hinter der Treppe versteckt hatte. Darin steht, wie die \
             Boote bei Nebel mit einer Glocke und zwei Laternen heimgeführt wurden.",
            "Ab dem 1. Mai ist der Turm an jedem zweiten Sonntag im Monat für Besucher geöffnet, \
             solange der Wind es erlaubt. Der Eintritt kommt dem Rettungsboot zugute, das noch \
             immer unten im kleinen Hafen liegt.",
        ],
    ),
    (
        "ru",
        [
            "Старый маяк на северном мысе прошлой зимой восстановила небольшая группа жителей \
             соседней деревни на свои деньги. Каждый камень люди несли вверх по крутой тропе, \
             потому что машина не может подъехать к скалам.",
            "Во время работ они нашли ящик с письмами, который последний смотритель спрятал за \
             лестницей в год большой бури. В письмах рассказано, как рыбачьи лодки возвращались \
             домой в тумане на звон колокола и свет двух фонарей.",
            "С первого мая башня будет открыта для гостей каждое второе воскресенье месяца, если \
             позволит ветер. Деньги за вход получит спасательная лодка, которая до сих пор стоит \
             внизу в маленькой гавани.",
        ],
    ),
    (
        "zh",
        [
            "去年冬天，村里的一小群志愿者自己出钱修好了北边海角上的那座旧灯塔。因为汽车开不到岩石那里，\
             他们只好沿着陡峭的小路把每一块石头都背了上去。",
            "施工的时候，大家发现了一箱信件，是最后一位守塔人在大风暴那一年藏在楼梯后面的。信里写着渔船\
             怎样在浓雾里靠着一口钟和两盏灯笼平安地回到港口。",
            "从五月一日开始，只要风不太大，灯塔每个月的第二个星期天都会向游客开放。门票的收入全部交给仍然\
             停在山下小港口里的那艘救生艇。",
        ],
    ),
    (
        "ja",
        [
            "去年の冬、村の有志の小さなグループが自分たちのお金で北の岬の古い灯台を直しました。車が岩場まで\
             入れないので、急な坂道を一つ一つ石を背負って運び上げました。",
            "工事の途中で、最後の灯台守が大嵐の年に階段の裏に隠した手紙の箱が見つかりました。手紙には、霧の\
             中の漁船が鐘の音と二つの明かりを頼りに港へ帰ってきた様子が書かれています。",
            "五月一日から、風が強くなければ毎月第二日曜日に灯台の中を見学することができます。入場料は今も下の\
             小さな港で待っている救助船のために使われます。",
        ],
    ),
    (
        "th",
        [
            "เมื่อฤดูหนาวปีที่แล้วชาวบ้านกลุ่มเล็กๆได้ร่วมกันซ่อมประภาคารเก่าที่แหลมทางเหนือด้วยเงินของตัวเอง \
             พวกเขาแบกหินทุกก้อนขึ้นไปตามทางชันเพราะรถยนต์เข้าไปไม่ถึงโขดหิน",
            "ระหว่างการซ่อมแซมพวกเขาพบกล่องจดหมายที่คนเฝ้าประภาคารคนสุดท้ายซ่อนไว้หลังบันไดในปีที่เกิดพายุใหญ่ \
             ในจดหมายเล่าว่าเรือประมงกลับบ้านท่ามกลางหมอกได้ด้วยเสียงระฆังและโคมไฟสองดวง",
            "ตั้งแต่วันแรกของเดือนพฤษภาคมหอประภาคารจะเปิดให้คนเข้าชมทุกวันอาทิตย์ที่สองของเดือนถ้าลมไม่แรง \
             เงินค่าเข้าชมทั้งหมดจะมอบให้เรือกู้ภัยที่ยังจอดรออยู่ในท่าเรือเล็กๆด้านล่าง",
        ],
    ),
    (
        "ar",
        [
            "قامت مجموعة صغيرة من أهل القرية في الشتاء الماضي بإصلاح المنارة القديمة الواقعة على الرأس \
             الشمالي من مالها الخاص. حمل الناس كل حجر على الطريق الصخري الصعب لأن السيارات لا تستطيع \
             الوصول إلى الصخور هناك.",
            "أثناء العمل وجدت المجموعة صندوقا من الرسائل التي أخفاها آخر حارس للمنارة خلف الدرج في سنة \
             العاصفة الكبيرة. تروي الرسائل كيف كانت قوارب الصيد تعود إلى بيوتها في الضباب على صوت جرس \
             وضوء فانوسين صغيرين.",
            "ابتداء من أول شهر مايو سيفتح البرج أبوابه للزوار في كل يوم أحد ثان من الشهر إذا سمحت الرياح \
             بذلك. أما ثمن الدخول فيذهب كله إلى قارب الإنقاذ الذي ما زال ينتظر في الميناء الصغير.",
        ],
    ),
    (
        "hi",
        [
            "पिछली सर्दियों में गाँव के लोगों के एक छोटे समूह ने उत्तरी अंतरीप पर खड़े पुराने प्रकाशस्तंभ की अपने पैसों से \
             मरम्मत की। हर एक पत्थर को लोग खड़ी पगडंडी से ऊपर ले गए क्योंकि कोई गाड़ी चट्टानों तक नहीं पहुँच सकती।",
            "काम के दौरान समूह को चिट्ठियों का एक डिब्बा मिला जिसे आखिरी पहरेदार ने बड़े तूफान के साल में सीढ़ियों के \
             पीछे छिपा दिया था। चिट्ठियों में लिखा है कि मछली पकड़ने वाली नावें कोहरे में एक घंटी और दो लालटेन के सहारे \
             घर लौटती थीं।",
            "मई की पहली तारीख से मीनार हर महीने के दूसरे रविवार को आगंतुकों के लिए खुली रहेगी अगर हवा ज्यादा तेज न हो। \
             टिकट का सारा पैसा उस बचाव नाव को मिलेगा जो आज भी नीचे छोटे बंदरगाह में खड़ी है।",
        ],
    ),
];

/// Another story, of two paragraphs, by the same codes in the same order.
pub const BAKERY: &[(&str, [&str; 2])] = &[
    (
        "en",
        [
            "The bakery on the market square has been baking bread from an old rye since this \
             week, whose grains lay in a jar in the attic for almost a hundred years. The baker \
             found the jar when she moved house and sowed some of the grains in her garden.",
            "Only eleven stalks grew in the first summer, but in the third year the harvest was \
             enough for twenty loaves. Now two farms nearby want to grow the grain as well, if \
             the mill agrees to grind such small amounts.",
        ],
    ),
    (
        "de",
        [
            "Die Bäckerei am Markt backt seit dieser Woche ein Brot aus altem Roggen, dessen \
             Körner fast hundert Jahre in einem Glas auf dem Dachboden lagen. Die Meisterin hatte \
             das Glas beim Umzug gefunden und einen Teil der Körner im Garten ausgesät.",
            "Im ersten Sommer keimten nur elf Halme, doch im dritten reichte die Ernte schon für \
             zwanzig Laibe. Jetzt wollen auch zwei Höfe aus der Nachbarschaft das Korn anbauen, \
             wenn die Mühle bereit ist, so kleine Mengen zu mahlen.",
        ],
    ),
    (
        "ru",
        [
            "Пекарня на рыночной площади с этой недели печёт хлеб из старой ржи, зёрна которой \
             почти сто лет пролежали в банке на чердаке. Хозяйка нашла банку при переезде и \
             посеяла часть зёрен у себя в саду.",
            "В первое лето взошло только одиннадцать колосьев, но на третий год урожая хватило \
             уже на двадцать буханок. Теперь два соседних хозяйства тоже хотят выращивать это \
             зерно, если мельница согласится молоть такие малые количества.",
        ],
    ),
    (
        "zh",
        [
            "市场旁边的面包店从这个星期开始用一种老黑麦烤面包，这些麦粒在阁楼的玻璃罐里放了将近一\
             百年。店主搬家的时候发现了罐子，就把一部分麦粒种在了自己的花园里。",
            "第一个夏天只长出了十一根麦秆，可是到了第三年，收成已经够做二十个面包。现在附近的两家\
             农场也想种这种麦子，只要磨坊愿意加工这么少的数量。",
        ],
    ),
    (
        "ja",
        [
            "市場のそばのパン屋では、今週から古いライ麦でパンを焼いています。その麦の粒は、屋根裏\
             のガラス瓶の中で百年近く眠っていたものです。店主が引っ越しのときに瓶を見つけて、一部\
             を庭にまきました。",
            "最初の夏に芽を出したのは十一本だけでしたが、三年目には二十個のパンを焼けるほどの収穫\
             がありました。水車小屋が少ない量でも粉にひいてくれるなら、近所の農家も二軒、この麦を\
             育てたいと話しています。",
        ],
    ),
    (
        "th",
        [
            "ร้านขนมปังข้างตลาดเริ่มอบขนมปังจากข้าวไรย์พันธุ์เก่าตั้งแต่สัปดาห์นี้ เมล็ดข้าวเหล่า\
             นี้อยู่ในขวดแก้วบนห้องใต้หลังคามาเกือบร้อยปี เจ้าของร้านพบขวดตอนย้ายบ้านแล้วนำเมล็ดบา\
             งส่วนไปปลูกในสวน",
            "ปีแรกมีต้นข้าวงอกเพียงสิบเอ็ดต้น แต่พอถึงปีที่สามผลผลิตก็พอทำขนมปังได้ยี่สิบก้อน ตอน\
             นี้ไร่สองแห่งในละแวกนั้นอยากปลูกข้าวพันธุ์นี้ด้วย หากโรงสียอมโม่แป้งในปริมาณน้อยเช่น\
             นี้",
        ],
    ),
    (
        "ar",
        [
            "بدأ المخبز القريب من السوق هذا الأسبوع يصنع خبزا من الجاودار القديم الذي بقيت حبوبه \
             قرابة مئة عام في وعاء زجاجي فوق سطح البيت. وجدت صاحبة المخبز الوعاء عند انتقالها إلى \
             بيت جديد وزرعت جزءا من الحبوب في حديقتها.",
            "في الصيف الأول لم ينبت سوى أحد عشر ساقا، لكن محصول السنة الثالثة كفى لعشرين رغيفا. \
             تريد الآن مزرعتان مجاورتان زراعة هذا الحب أيضا إذا قبلت المطحنة أن تطحن كميات صغيرة \
             كهذه.",
        ],
    ),
    (
        "hi",
        [
            "बाजार के पास वाली बेकरी इस हफ्ते से पुरानी राई की रोटी बना रही है जिसके दाने लगभग सौ \
             साल तक अटारी में काँच के मर्तबान में पड़े रहे। मालकिन को घर बदलते समय वह मर्तबान \
             मिला और उसने कुछ दाने अपने बगीचे में बो दिए।",
            "पहली गर्मी में केवल ग्यारह पौधे उगे, लेकिन तीसरे साल की फसल बीस रोटियों के लिए काफी \
             थी। अब पड़ोस के दो किसान भी यह अनाज उगाना चाहते हैं अगर चक्की इतनी कम मात्रा पीसने \
             को तैयार हो।",
        ],
    ),
];
