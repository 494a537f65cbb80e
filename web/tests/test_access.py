"""Themes, narrow windows, keyboards, screen readers, and texts that run the other way."""

import pytest
from playwright.sync_api import expect

from corpus import families

VIEWS = ["", "clusters", "cluster/article-0", "document/article-0", "label", "answers", "paste"]

ARABIC = "اجتمع المجلس مساء الثلاثاء لمناقشة الجسر الجديد على النهر وتحدث العديد من السكان عن الضوضاء وحركة المرور والأشجار القديمة على ضفة النهر"
CHINESE = "市议会于星期二晚上开会讨论阿勒河上的新桥几位居民谈到了噪音交通和河岸上的老树市长说计划将在可能的地方进行修改"

# What a person who sees needs not notice and everybody else does. Each gives what is wrong.
UNNAMED = """() => [...document.querySelectorAll('a, button, input, select, textarea, [role=img], dialog')]
    .filter((one) => {
        const labels = one.labels ? [...one.labels].map((label) => label.textContent).join('') : '';
        const by = one.getAttribute('aria-labelledby');
        const named = one.getAttribute('aria-label') || labels || (by && document.getElementById(by)?.textContent)
            || one.textContent;
        return !named.trim();
    }).map((one) => one.outerHTML)"""
TWICE = """() => { const ids = [...document.querySelectorAll('[id]')].map((one) => one.id);
    return ids.filter((id, number) => ids.indexOf(id) !== number); }"""
WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Contrast of every text with what is behind it, by the formula of WCAG.
PALE = """() => {
    const channel = (value) => { value /= 255; return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4; };
    const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const behind = (one) => { for (; one; one = one.parentElement) {
        const color = numbers(getComputedStyle(one).backgroundColor);
        if (color.length < 4 || color[3] === 1) return color; } return [255, 255, 255]; };
    const pale = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const one = texts.currentNode.parentElement;
        if (!texts.currentNode.data.trim() || !one.checkVisibility() || one.closest(':disabled, .quiet, .skip, svg, noscript, option')) continue;
        const [a, b] = [light(numbers(getComputedStyle(one).color)), light(behind(one))].sort((x, y) => y - x);
        if ((a + 0.05) / (b + 0.05) < 4.5) pale.push(one.outerHTML.slice(0, 200) + ' ' + ((a + 0.05) / (b + 0.05)).toFixed(2));
    }
    return pale; }"""


@pytest.fixture(scope="module")
def service(make_service):
    service = make_service()
    service.add(families(3))
    service.call("POST", "/v1/judgments", {"a": "article-1", "b": "article-1-copy-0", "duplicate": True})
    service.get("/v1/clusters", wait=30)
    return service


def ready(page) -> None:
    expect(page.locator("main h1")).to_be_visible()
    expect(page.locator("main [aria-busy]")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_every_view_is_named_readable_and_fits(service, open_page, scheme, width):
    page = open_page(service, color_scheme=scheme, width=width)
    for view in VIEWS:
        page.evaluate("(view) => { location.hash = '#/' + view; }", view)
        ready(page)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate(UNNAMED) == [], view
        assert page.evaluate(TWICE) == [], view
        assert page.evaluate(PALE) == [], view
        assert page.evaluate(WIDER) <= 0, view
        assert page.locator("main").count() == page.locator("h1").count() == 1, view
        assert page.locator("html[lang]").count() == 1


def test_the_theme_is_switched_and_remembered(service, open_page):
    page = open_page(service, color_scheme="light")
    paper = lambda: page.evaluate("getComputedStyle(document.body).backgroundColor")
    ready(page)
    light = paper()
    page.get_by_label("Theme").select_option("dark")
    dark = paper()
    assert dark != light
    page.reload()
    ready(page)
    assert paper() == dark
    page.get_by_label("Theme").select_option("system")
    assert paper() == light
    page.emulate_media(color_scheme="dark")
    assert paper() == dark


def test_keys_are_listed_and_can_be_turned_off(service, open_page):
    page = open_page(service, "cluster/article-0")
    expect(page.locator(".split")).to_be_visible()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("The two are not duplicates")
    dialog.get_by_label("Use single keys").uncheck()
    page.keyboard.press("Escape")
    expect(dialog).not_to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("n")
    expect(page.locator(".split")).to_be_visible()
    assert service.get("/v1/pairs/article-0/article-0-copy-0")["judgment"] is None
    # All the same, everything is reached by Tab and Enter.
    page.get_by_role("button", name="Not a duplicate").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("not a duplicate")
    service.call("POST", "/v1/judgments", {"a": "article-0", "b": "article-0-copy-0", "duplicate": None})


def test_the_focus_stays_on_the_button_that_was_pressed(service, open_page):
    page = open_page(service, "cluster/article-2")
    expect(page.locator(".split")).to_be_visible()
    no = page.get_by_role("toolbar").get_by_role("button", name="Not a duplicate")
    no.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".head a").nth(1)).to_have_text("article-2-copy-1")
    expect(no).to_be_focused()
    # Who does not see it is told which pair that is.
    expect(page.locator(".desk [role=status]")).to_contain_text("Copy 2 of 2: article-2-copy-1")
    page.locator(".copy").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".head a").nth(1)).to_have_text("article-2-copy-0")
    expect(page.locator(".copy").first).to_be_focused()
    page = open_page(service, "label")
    expect(page.locator(".split")).to_be_visible()
    shown = page.locator(".head a").all_inner_texts()
    page.get_by_role("button", name="Skip").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".head a").first).to_be_visible()
    page.wait_for_function("(shown) => [...document.querySelectorAll('.head a')].map((one) => one.innerText).join() !== shown", arg=",".join(shown))
    expect(page.get_by_role("button", name="Skip")).to_be_focused()
    service.call("POST", "/v1/judgments", {"a": "article-2", "b": "article-2-copy-0", "duplicate": None})


def test_tab_reaches_the_content_first_by_the_skip_link(service, open_page):
    page = open_page(service)
    ready(page)
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_arabic_and_chinese_are_shown_in_their_own_way(make_service, open_page):
    service = make_service(create=("--method", "minhash", "--threshold", "0.5"))
    service.add([
        {"id": "ar", "text": ARABIC, "title": "الجسر"}, {"id": "ar-copy", "text": ARABIC.replace("الثلاثاء", "الأربعاء")},
        {"id": "zh", "text": CHINESE, "title": "新桥"}, {"id": "zh-copy", "text": CHINESE.replace("星期二", "星期三")},
    ])
    page = open_page(service, "cluster/ar")
    expect(page.locator(".split ins")).to_have_text("الأربعاء")
    cell = page.locator(".row.changed .a")
    assert cell.evaluate("(one) => getComputedStyle(one).direction") == "rtl"
    # Left stays left.
    assert cell.bounding_box()["x"] < page.locator(".row.changed .b").bounding_box()["x"]
    page = open_page(service, "cluster/zh")
    expect(page.locator(".split ins")).to_have_text("三")
    expect(page.locator("h1")).to_have_text("新桥")
