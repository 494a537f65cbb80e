//! The visible text of an HTML page.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::LazyLock;

use lol_html::html_content::{Element, TextChunk, TextType};
use lol_html::{
    DocumentContentHandlers, ElementContentHandlers, HtmlRewriter, MemorySettings, Selector,
    Settings,
};

use super::entities;

/// What a reader of an HTML page sees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HtmlText {
    /// The text: one line a block, a blank line between paragraphs, single spaces elsewhere.
    pub text: String,
    /// The content of the first `title` element that has any.
    pub title: Option<String>,
}

/// Elements set apart from what surrounds them by a blank line.
static PARAGRAPHS: LazyLock<Selector> = LazyLock::new(|| {
    selector(
        "p, h1, h2, h3, h4, h5, h6, blockquote, pre, ul, ol, dl, table, hr, article, section, \
         header, footer, main, nav, aside, figure, form, fieldset, body",
    )
});

/// Elements that stand on lines of their own.
static LINES: LazyLock<Selector> = LazyLock::new(|| {
    selector(
        "div, li, dt, dd, tr, br, address, caption, figcaption, details, summary, legend, option, \
         center, dir, menu",
    )
});

/// Elements with a space between them.
static CELLS: LazyLock<Selector> = LazyLock::new(|| selector("td, th"));

/// Elements in which line breaks and spaces count.
static PREFORMATTED: LazyLock<Selector> = LazyLock::new(|| selector("pre"));

/// Elements whose content is no text of the page, or none that is shown.
static HIDDEN: LazyLock<Selector> =
    LazyLock::new(|| selector("template, svg, canvas, audio, video, object, textarea, datalist"));

#[expect(clippy::unwrap_used, reason = "the selectors are constants of this file, all tested")]
fn selector(list: &str) -> Selector {
    list.parse().unwrap()
}

/// A page that would take more memory than any page that people read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the page has too many elements inside each other, or a tag that is too long")]
pub struct HtmlError;

/// Memory for open elements and for the tag at hand: enough for some hundred thousand.
const MEMORY_BYTES: usize = 16 << 20;

/// Extracts the visible text and the title of an HTML page.
///
/// Scripts, styles, comments, `noscript`, templates and attribute values are left out. There is no
/// malformed HTML: whatever comes is read the way a browser's tokenizer would.
///
/// # Errors
/// The page was made to exhaust memory.
pub fn html(page: &str) -> Result<HtmlText, HtmlError> {
    let collector = Rc::new(RefCell::new(Collector::default()));
    let settings = Settings::new()
        .with_strict(false)
        .with_memory_settings(MemorySettings::new().with_max_allowed_memory_usage(MEMORY_BYTES))
        .append_element_content_handler(on_start(&PARAGRAPHS, &collector, |element, collector| {
            collector.borrow_mut().break_text(Break::Paragraph);
            at_end(element, collector, |collector| collector.break_text(Break::Paragraph));
        }))
        .append_element_content_handler(on_start(&LINES, &collector, |element, collector| {
            collector.borrow_mut().break_text(Break::Line);
            at_end(element, collector, |collector| collector.break_text(Break::Line));
        }))
        .append_element_content_handler(on_start(&CELLS, &collector, |_, collector| {
            collector.borrow_mut().break_text(Break::Space);
        }))
        .append_element_content_handler(on_start(
            &PREFORMATTED,
            &collector,
            |element, collector| {
                collector.borrow_mut().preformatted += 1;
                at_end(element, collector, |collector| collector.preformatted -= 1);
            },
        ))
        .append_element_content_handler(on_start(&HIDDEN, &collector, |element, collector| {
            if element.can_have_content() {
                collector.borrow_mut().hidden += 1;
                at_end(element, collector, |collector| collector.hidden -= 1);
            }
        }))
        .append_document_content_handler(DocumentContentHandlers::default().text({
            let collector = Rc::clone(&collector);
            move |chunk: &mut TextChunk<'_>| {
                collector.borrow_mut().add(chunk);
                Ok(())
            }
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| ());
    // The handlers never fail; only the memory limit does.
    rewriter.write(page.as_bytes()).map_err(|_| HtmlError)?;
    rewriter.end().map_err(|_| HtmlError)?;
    Ok(collector.take().finish())
}

type Shared = Rc<RefCell<Collector>>;
type Handlers = (Cow<'static, Selector>, ElementContentHandlers<'static>);

fn on_start(
    selector: &'static LazyLock<Selector>,
    collector: &Shared,
    handle: impl Fn(&mut Element<'_, '_>, &Shared) + 'static,
) -> Handlers {
    let collector = Rc::clone(collector);
    let handlers =
        ElementContentHandlers::default().element(move |element: &mut Element<'_, '_>| {
            handle(element, &collector);
            Ok(())
        });
    (Cow::Borrowed(selector), handlers)
}

fn at_end(
    element: &mut Element<'_, '_>,
    collector: &Shared,
    handle: impl FnOnce(&mut Collector) + 'static,
) {
    // Elements that never have an end tag have no such list.
    if let Some(handlers) = element.end_tag_handlers() {
        let collector = Rc::clone(collector);
        handlers.push(Box::new(move |_| {
            handle(&mut collector.borrow_mut());
            Ok(())
        }));
    }
}

/// What stands between two pieces of text; the greater wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Break {
    #[default]
    None,
    Space,
    Line,
    Paragraph,
}

#[derive(Debug, Default)]
struct Collector {
    text: String,
    title: String,
    /// Between the text so far and the next visible character.
    pending: Break,
    /// How many hidden elements are open.
    hidden: usize,
    /// How many elements are open in which line breaks and spaces count.
    preformatted: usize,
    /// The text node that is being read, as it stands in the page.
    raw: String,
    decoded: String,
}

impl Collector {
    fn break_text(&mut self, kind: Break) {
        self.pending = self.pending.max(kind);
    }

    /// Takes a piece of a text node; the node is used when its last piece has come, because a
    /// character reference may be cut in two.
    fn add(&mut self, chunk: &TextChunk<'_>) {
        let kind = chunk.text_type();
        let shown = match kind {
            TextType::ScriptData | TextType::RawText => false,
            TextType::RCData | TextType::Data | TextType::PlainText | TextType::CDataSection => {
                self.hidden == 0
            }
        };
        if shown {
            self.raw.push_str(chunk.as_str());
        }
        if !chunk.last_in_text_node() || self.raw.is_empty() {
            return;
        }
        self.decoded.clear();
        if kind.allows_html_entities() {
            entities::decode_into(&self.raw, &mut self.decoded);
        } else {
            self.decoded.push_str(&self.raw);
        }
        self.raw.clear();
        let decoded = std::mem::take(&mut self.decoded);
        // Of the two elements with this kind of text the other, `textarea`, is hidden.
        if kind == TextType::RCData {
            if self.title.is_empty() {
                self.title.extend(decoded.split_whitespace().flat_map(|word| [word, " "]));
            }
        } else {
            self.write(&decoded);
        }
        self.decoded = decoded;
    }

    fn write(&mut self, text: &str) {
        if self.preformatted > 0 {
            return self.write_preformatted(text);
        }
        if text.starts_with(char::is_whitespace) {
            self.break_text(Break::Space);
        }
        for (index, word) in text.split_whitespace().enumerate() {
            if index > 0 {
                self.break_text(Break::Space);
            }
            self.write_break();
            self.text.push_str(word);
        }
        if text.ends_with(char::is_whitespace) {
            self.break_text(Break::Space);
        }
    }

    fn write_preformatted(&mut self, text: &str) {
        for (index, line) in text.split('\n').enumerate() {
            // A line break next to a block's own break is none that shows.
            if index > 0 && self.pending < Break::Line {
                self.text.push('\n');
            }
            if !line.trim().is_empty() {
                self.write_break();
                self.text.push_str(line.trim_end());
            }
        }
    }

    fn write_break(&mut self) {
        let between = match std::mem::take(&mut self.pending) {
            Break::None => "",
            Break::Space => " ",
            Break::Line => "\n",
            Break::Paragraph => "\n\n",
        };
        if between.starts_with('\n') {
            self.text.truncate(self.text.trim_end().len());
        }
        if !self.text.is_empty() {
            self.text.push_str(between);
        }
    }

    fn finish(mut self) -> HtmlText {
        self.text.truncate(self.text.trim_end().len());
        let title = self.title.trim_end();
        HtmlText { title: (!title.is_empty()).then(|| title.to_owned()), text: self.text }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(page: &str) -> String {
        html(page).unwrap().text
    }

    #[test]
    fn a_page_gives_its_title_and_its_visible_text() {
        let page = "<!DOCTYPE html><html><head><title>\n Tea &amp;  time </title>\
            <style>p { color: red }</style><script>if (a < b) { write('<p>no</p>'); }</script>\
            </head><body><!-- not this --><h1>Tea</h1><p>Water at <b>eighty</b> degrees,\n\
            three&nbsp;minutes.</p><noscript><p>Turn on scripts</p></noscript>\
            <template><p>{{row}}</p></template><img alt=\"a cup\" src=x></body></html>";
        let expected = HtmlText {
            text: "Tea\n\nWater at eighty degrees, three minutes.".to_owned(),
            title: Some("Tea & time".to_owned()),
        };
        assert_eq!(html(page), Ok(expected));
    }

    #[test]
    fn blocks_break_lines_and_inline_elements_do_not() {
        assert_eq!(text("one<br>two<div>three</div>four"), "one\ntwo\nthree\nfour");
        assert_eq!(text("<ul><li>a<li>b</ul>c"), "a\nb\n\nc");
        assert_eq!(text("<p>a<p>b"), "a\n\nb");
        assert_eq!(text("w<i>or</i>d <b>next</b>\n<b>last</b>"), "word next last");
        assert_eq!(text("<table><tr><td>a<td>b<tr><td>c</table>"), "a b\nc");
    }

    #[test]
    fn preformatted_text_keeps_its_lines() {
        assert_eq!(text("a<pre>\n  b\n\n c\n</pre>d"), "a\n\n  b\n\n c\n\nd");
    }

    #[test]
    fn references_are_resolved_even_beside_markup() {
        assert_eq!(
            text("<p>5 &lt; 6 &#38; caf&eacute;<b>&hellip;</b> &bogus;"),
            "5 < 6 & café… &bogus;"
        );
    }

    #[test]
    fn malformed_pages_are_read_as_far_as_they_go() {
        assert_eq!(text("<p>open <b>bold</p> after </i></div><p"), "open bold\n\nafter");
        assert_eq!(text("no markup at all"), "no markup at all");
        assert_eq!(text(""), "");
        assert_eq!(text("<textarea><title>x</title></textarea>a"), "a");
        let titles = html("<title></title><title>second</title>").unwrap();
        assert_eq!(titles.title.as_deref(), Some("second"));
        assert_eq!(text("1 < 2 and <3 and <!x> <?php echo ?> end"), "1 < 2 and <3 and end");
    }

    #[test]
    fn pages_made_to_exhaust_memory_are_refused() {
        assert_eq!(html(&"<div>".repeat(1_000_000)), Err(HtmlError));
        assert_eq!(html(&format!("<p {}>", "a=b ".repeat(1_000_000))), Err(HtmlError));
        assert_eq!(text(&"<div>a".repeat(10_000)).len(), 19_999);
    }

    proptest! {
        #[test]
        fn no_page_makes_it_panic(
            page in "(<[a-z/!?]{0,8}[ >]?|</?(p|pre|svg|title|template|script|select|table|td|math)>|&[#a-z0-9]{0,6};?|\\PC){0,40}"
        ) {
            prop_assert!(html(&page).is_ok());
        }
    }
}
