//! What editors do to a text on its way: other words, a slip, a sentence more or less.

use lookalike_detect::random::SplitMix64;

/// Words that can stand for each other, by language.
const ENGLISH: &[(&str, &str)] = &[
    ("after", "following"),
    ("agreed", "consented"),
    ("almost", "nearly"),
    ("because", "since"),
    ("began", "started"),
    ("children", "youngsters"),
    ("decided", "resolved"),
    ("discovered", "found"),
    ("expected", "forecast"),
    ("however", "though"),
    ("nearly", "almost"),
    ("more than", "over"),
    ("nobody", "no one"),
    ("until", "till"),
    ("vanished", "disappeared"),
    ("while", "whereas"),
    ("will be", "is going to be"),
];

const GERMAN: &[(&str, &str)] = &[
    ("bekommt", "erhält"),
    ("dafür", "hierfür"),
    ("deshalb", "daher"),
    ("im vergangenen Jahr", "letztes Jahr"),
    ("kostenlos", "gratis"),
    ("mehr als", "über"),
    ("nun", "jetzt"),
    ("Trotz", "Ungeachtet"),
    ("weil", "da"),
    ("zum ersten Mal", "erstmals"),
];

const CHINESE: &[(&str, &str)] = &[
    ("以后", "之后"),
    ("只需", "仅需"),
    ("表示", "称"),
    ("预计", "估计"),
    ("经过", "历经"),
    ("已经", "已"),
    ("然后", "接着"),
    ("村里", "村子里"),
    ("原来", "从前"),
    ("今年", "本年"),
    ("可以", "能够"),
    ("上周", "上星期"),
    ("前来", "赶来"),
    ("不能再等", "等不到"),
];

/// Sentences that are put at the end of a story when it is published again.
const NOTES: &[(&str, &[&str])] = &[
    (
        "en",
        &[
            "This article was updated in the afternoon.",
            "An earlier version gave the wrong weekday.",
            "Readers can send comments to the editors.",
            "More on this subject in the weekend edition.",
        ],
    ),
    (
        "de",
        &[
            "Dieser Beitrag wurde am Nachmittag aktualisiert.",
            "In einer früheren Fassung stand ein falscher Wochentag.",
            "Mehr dazu lesen Sie in der Wochenendausgabe.",
        ],
    ),
    ("zh", &["本文于当日下午更新。", "此前版本中的日期有误，特此更正。", "更多内容请关注周末版。"]),
];

/// The `version`th edition of a text: the higher the number, the more was changed.
pub fn edited(text: &str, language: &str, version: u64, random: &mut SplitMix64) -> String {
    let mut text = text.to_owned();
    for _ in 0..version.div_ceil(2) {
        text = with_other_word(&text, language, random);
    }
    if version >= 2 {
        text = with_slip(&text, random);
    }
    if version >= 5 {
        text = without_a_sentence(&text, random);
    }
    if version % 2 == 1 {
        let notes =
            NOTES.iter().find(|(of, _)| *of == language).map_or(&[][..], |(_, notes)| notes);
        text.push_str("\n\n");
        text.push_str(pick(notes, random));
    }
    text
}

/// The same paragraphs in another order, or the same sentences in another order.
pub fn reordered(text: &str, version: u64, random: &mut SplitMix64) -> String {
    let mut paragraphs: Vec<String> = text.split("\n\n").map(str::to_owned).collect();
    if version % 2 == 1 {
        // A shuffle may leave things as they were; turning them round never does.
        paragraphs.rotate_left(1 + (version as usize / 2) % 2);
    }
    if version.is_multiple_of(2) || version > 4 {
        for paragraph in &mut paragraphs {
            let mut sentences = sentences(paragraph);
            random.shuffle(&mut sentences);
            *paragraph = sentences.join(" ");
        }
    }
    paragraphs.join("\n\n")
}

fn with_other_word(text: &str, language: &str, random: &mut SplitMix64) -> String {
    let table = match language {
        "de" => GERMAN,
        "zh" => CHINESE,
        _ => ENGLISH,
    };
    let possible: Vec<_> =
        table.iter().filter(|(word, _)| position(text, word).is_some()).collect();
    if possible.is_empty() {
        return text.to_owned();
    }
    let (word, other) = possible[random.next_below(possible.len() as u64) as usize];
    match position(text, word) {
        Some(at) => format!("{}{other}{}", &text[..at], &text[at + word.len()..]),
        None => text.to_owned(),
    }
}

/// Where a word stands on its own; Chinese has no spaces to tell.
fn position(text: &str, word: &str) -> Option<usize> {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphabetic());
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        !is_letter(text[..*at].chars().next_back())
            && !is_letter(text[at + word.len()..].chars().next())
    })
}

/// Two neighboring letters change places inside one word.
fn with_slip(text: &str, random: &mut SplitMix64) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let places: Vec<usize> = (1..letters.len().saturating_sub(2))
        .filter(|at| letters[at - 1..at + 3].iter().all(|c| c.is_lowercase()))
        .filter(|at| letters[*at] != letters[at + 1])
        .collect();
    if !places.is_empty() {
        let at = places[random.next_below(places.len() as u64) as usize];
        letters.swap(at, at + 1);
    }
    letters.into_iter().collect()
}

fn without_a_sentence(text: &str, random: &mut SplitMix64) -> String {
    let mut paragraphs: Vec<Vec<String>> = text.split("\n\n").map(sentences).collect();
    let chosen = random.next_below(paragraphs.len() as u64) as usize;
    let paragraph = &mut paragraphs[chosen];
    if paragraph.len() > 1 {
        paragraph.remove(random.next_below(paragraph.len() as u64) as usize);
    }
    let joined: Vec<String> = paragraphs.iter().map(|sentences| sentences.join(" ")).collect();
    joined.join("\n\n").replace("。 ", "。")
}

fn sentences(paragraph: &str) -> Vec<String> {
    let mut sentences = vec![String::new()];
    let mut letters = paragraph.chars().peekable();
    while let Some(letter) = letters.next() {
        if let Some(sentence) = sentences.last_mut() {
            sentence.push(letter);
        }
        if letter == '。' || (letter == '.' && letters.peek() == Some(&' ')) {
            sentences.push(String::new());
        }
    }
    sentences.iter().map(|sentence| sentence.trim().to_owned()).filter(|s| !s.is_empty()).collect()
}

fn pick<'t>(choices: &[&'t str], random: &mut SplitMix64) -> &'t str {
    choices.get(random.next_below(choices.len() as u64) as usize).copied().unwrap_or_default()
}
