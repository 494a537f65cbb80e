//! The ways a message comes back: answered, forwarded, with a signature below it.

use super::stories::Story;

/// How many forms [`message`] knows.
pub const N_FORMS: usize = 6;

const SIGNATURE: &str = "--\nRegistered office: Mill Lane 4. This message is meant for the person it \
    is addressed to. If it has reached you by mistake, please tell the sender and delete it.";

/// One form of a message; form 0 is the message itself.
pub fn message(story: &Story, form: usize) -> String {
    let text = story.text;
    let quoted = quote(text);
    match form {
        0 => text.to_owned(),
        1 => format!("Thanks, noted. See you next week.\n\nOn Tuesday the office wrote:\n{quoted}"),
        2 => format!(
            "For your information, in case it has not reached you yet.\n\n\
             -------- Forwarded message --------\nSubject: {}\n\n{text}",
            story.title
        ),
        3 => {
            let answer = format!(
                "One question: does this also hold for the branch?\n\nOn Tuesday \
                 the office wrote:\n{quoted}"
            );
            format!("Yes, it does.\n\nOn Wednesday the branch wrote:\n{}", quote(&answer))
        }
        4 => format!("{text}\n\n{SIGNATURE}"),
        _ => interleaved(story),
    }
}

/// An answer with a remark after the second paragraph of what it quotes.
fn interleaved(story: &Story) -> String {
    let mut parts: Vec<String> = story.paragraphs().map(quote).collect();
    parts.insert(parts.len().min(2), "That suits me well; I will pass it on to the others.".into());
    parts.join("\n\n")
}

fn quote(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("> {line}")).collect();
    lines.join("\n")
}
