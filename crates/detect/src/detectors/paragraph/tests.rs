//! Partial copies in eight languages, offsets, and the odd cases.

use lookalike_text::Document;

use super::*;
use crate::{Features, Prepared, Scratch, Verdict};

/// Three paragraphs in each language, written for these tests.
const TEXTS: &[(&str, [&str; 3])] = &[
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

fn detector(config: &ParagraphConfig) -> Detector {
    config.build(&Artifacts::default()).unwrap()
}

fn features(detector: &Detector, text: &str) -> Features {
    detector.features(&Document::from_text(text), &mut Scratch::default())
}

/// The verdict, or `None` where the two share no key.
fn judge(detector: &Detector, left: &str, right: &str) -> Option<Verdict> {
    let sign = |text| detector.sign(&Document::from_text(text), &mut Scratch::default()).ok();
    let (left, right) = (sign(left)?, sign(right)?);
    left.keys.iter().find(|key| right.keys.contains(key))?;
    let prepared = |signature| Prepared { signature: Some(signature), features: None };
    Some(detector.judge(prepared(&left.signature), prepared(&right.signature)))
}

/// Whether two texts have at least half of their characters' bigrams in common.
fn alike(left: &str, right: &str) -> bool {
    let bigrams = |text: &str| {
        let letters: Vec<char> = text.chars().filter(|c| c.is_alphanumeric()).collect();
        let mut pairs: Vec<[char; 2]> = letters.windows(2).map(|w| [w[0], w[1]]).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    };
    let (left, right) = (bigrams(left), bigrams(right));
    let shared = left.iter().filter(|pair| right.binary_search(pair).is_ok()).count();
    2 * shared >= left.len().min(right.len())
}

#[test]
fn a_paragraph_placed_in_another_text_is_found_in_every_language() {
    // Three words make a sentence long, so that the rule holds with and without dictionaries.
    let config = ParagraphConfig {
        min_words: 3,
        relation: Relation::Contains,
        keywords: KeywordSource::None,
        ..Default::default()
    };
    let detector = detector(&config);
    for (code, [first, second, third]) in TEXTS {
        let source = format!("{first}\n\n{second}");
        let host = format!("{third}\n\n{second}");
        let (left, right) = (features(&detector, &source), features(&detector, &host));
        let matches = detector.matches(&left, &right);
        assert_eq!(matches.len(), 1, "{code}: {matches:?}");
        assert_eq!(&source[matches[0].left.clone()], *second, "{code}");
        assert_eq!(&host[matches[0].right.clone()], *second, "{code}");
        let comparison = detector.measure(&left, &right).unwrap();
        assert_eq!(comparison.containment, Some((0.5, 0.5)), "{code}");
        let contained = judge(&detector, &source, second).unwrap();
        assert_eq!(contained, Verdict { duplicate: true, score: 1.0 }, "{code}");
    }
}

#[test]
fn every_match_between_all_texts_is_alike_in_the_originals() {
    let config = ParagraphConfig { min_words: 3, ..Default::default() };
    let detector = detector(&config);
    let documents: Vec<String> = TEXTS
        .iter()
        .flat_map(|(_, [first, second, third])| {
            let cut = first.char_indices().map(|(at, _)| at).nth(40).unwrap();
            [
                format!("{first}\n\n{second}\n\n{third}"),
                format!("{third}\r\n\r\n{second} {first}\r\n\r\n{first}"),
                format!("  {}\n\n{second}\n", &first[cut..]),
            ]
        })
        .collect();
    let mut n_matches = 0;
    for left in &documents {
        for right in &documents {
            let found = detector.matches(&features(&detector, left), &features(&detector, right));
            for matched in found {
                let (left, right) = (&left[matched.left], &right[matched.right]);
                assert!(alike(left, right), "{left:?} against {right:?}");
                n_matches += 1;
            }
        }
    }
    assert!(n_matches >= 100, "{n_matches}");
}

#[test]
fn unrelated_texts_share_no_key() {
    let detector = detector(&ParagraphConfig::default());
    let whole: Vec<String> = TEXTS.iter().map(|(_, parts)| parts.join("\n\n")).collect();
    for (position, left) in whole.iter().enumerate() {
        for right in &whole[position + 1..] {
            assert_eq!(judge(&detector, left, right), None);
        }
    }
}

#[test]
fn a_document_without_long_sentences_still_has_a_fingerprint() {
    let detector = detector(&ParagraphConfig::default());
    let text = "Closed today.\n\nOpen on Monday again. Thank you.";
    let features = features(&detector, text);
    let [only] = features.as_paragraphs() else { panic!("{features:?}") };
    assert_eq!(only.place(), 0..text.len());
    assert_eq!(judge(&detector, text, text), Some(Verdict { duplicate: true, score: 1.0 }));
}

#[test]
fn a_document_without_words_has_none() {
    let detector = detector(&ParagraphConfig::default());
    assert!(detector.sign(&Document::from_text("... !"), &mut Scratch::default()).is_err());
}

#[test]
fn short_paragraphs_count_neither_way() {
    let config = ParagraphConfig { keywords: KeywordSource::None, ..Default::default() };
    let detector = detector(&config);
    let [first, second, _] = TEXTS[0].1;
    let plain = format!("{first}\n\n{second}");
    let framed = format!("Home\n\nNews\n\n{first}\n\nRead more\n\n{second}\n\nContact us");
    assert_eq!(judge(&detector, &plain, &framed), Some(Verdict { duplicate: true, score: 1.0 }));
}

#[test]
fn the_title_weighs_sentences_only_where_it_is_asked() {
    let [first, ..] = TEXTS[0].1;
    let fingerprints = |keywords, title| {
        let config = ParagraphConfig { keywords, ..Default::default() };
        let document = Document { text: first, title, url: None };
        detector(&config).features(&document, &mut Scratch::default())
    };
    let without = fingerprints(KeywordSource::None, Some("Lighthouse repaired"));
    assert_eq!(without, fingerprints(KeywordSource::None, None));
    let config = ParagraphConfig { keywords: KeywordSource::Title, ..Default::default() };
    let document = Document { text: first, title: Some("Every single stone"), url: None };
    let described = detector(&config).describe(&document);
    let plain = detector(&config).describe(&Document { title: Some("Umbrella"), ..document });
    // "single" and "stone" stand in the second sentence.
    assert!(described[1].weight > plain[1].weight);
    assert_eq!(described[0].weight, plain[0].weight);
}

#[test]
fn both_ways_of_finding_candidates_find_equal_paragraphs() {
    let [first, second, third] = TEXTS[0].1;
    for keys in [ParagraphKeys::Sentences, ParagraphKeys::Fingerprints] {
        for bits in [32, 64] {
            let config = ParagraphConfig { bits, keys, ..Default::default() };
            let (left, right) = (format!("{first}\n\n{second}"), format!("{second}\n\n{third}"));
            let verdict = judge(&detector(&config), &left, &right).unwrap();
            assert_eq!(verdict, Verdict { duplicate: false, score: 0.5 }, "{config:?}");
        }
    }
}

#[test]
fn parameters_that_cannot_work_are_refused() {
    let default = ParagraphConfig::default;
    for config in [
        ParagraphConfig { bits: 48, ..default() },
        ParagraphConfig { max_distance: 32, ..default() },
        ParagraphConfig { threshold: 0.0, ..default() },
        ParagraphConfig { min_words: 0, ..default() },
        ParagraphConfig { max_sentences: 0, ..default() },
    ] {
        assert!(config.build(&Artifacts::default()).is_err(), "{config:?}");
    }
}
