"""Whatever stands in a text, id, title or field is text: nothing runs, nothing is fetched."""

import pytest
from playwright.sync_api import expect

from corpus import article, changed

HOSTILE = [
    "<script>ran()</script>",
    "<img src=x onerror=ran()>",
    "<svg/onload=ran()>",
    "\"><script>ran()</script>",
    "'><img src=x onerror=ran()>",
    "javascript:ran()",
    "data:text/html,<script>ran()</script>",
    "</title><script>ran()</script>",
    "</textarea><script>ran()</script>",
    "<iframe srcdoc='<script>parent.ran()</script>'>",
    "<a href=javascript:ran()>click</a>",
    "<style>*{background:url(http://example.com/)}</style>",
    "<link rel=stylesheet href=//example.com/x.css>",
    "<meta http-equiv=refresh content='0;url=http://example.com/'>",
    "<base href=http://example.com/>",
    "<form action=http://example.com/><button>send</button></form>",
    "{{constructor.constructor('ran()')()}}",
    "${ran()}",
    "__proto__",
    "constructor",
    "../../../etc/passwd",
    "a/b?c=d#e&f=%2F%00",
    "\u202eright to left\u202c",
    "\u0007bell \u001b[2J escape \u0000 nul",
    "👩‍👩‍👧 \ud7ff zero\u200bwidth",
    "<!--", "]]>", "&lt;script&gt;", "%3Cscript%3E",
]


@pytest.fixture(scope="module")
def service(make_service):
    service = make_service()
    for number, hostile in enumerate(HOSTILE):
        lines = article(number)
        text = [hostile, *lines[:6], hostile, *lines[6:]]
        fields = {"title": hostile, "url": hostile, "field": hostile, hostile: hostile}
        near = changed(text, 0.08, number)
        service.add([
            {**fields, "id": hostile, "text": "\n".join(text)},
            {**fields, "id": f"{hostile} {hostile}", "text": "\n".join([hostile, *near[1:]]), "field": [hostile, {hostile: None}]},
        ])
    return service


def test_hostile_documents_are_shown_as_text_everywhere(service, open_page):
    total = service.get("/v1/clusters", wait=30)["total"]
    assert total == len(HOSTILE)
    page = open_page(service, "clusters")
    expect(page.locator("a.cluster")).to_have_count(len(HOSTILE))
    expect(page.locator("main")).to_contain_text("<script>ran()</script>")
    for cluster in service.get("/v1/clusters")["clusters"]:
        keeper = cluster["id"]
        go(page, "cluster", keeper)
        expect(page.locator(".split")).to_be_visible()
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        head = page.locator(".split .head a").first
        assert head.inner_text() == shown(keeper), keeper
        go(page, "document", keeper)
        expect(page.locator(".piece").first).to_be_visible()
        assert page.locator("h1").inner_text() == shown(keeper).strip(), keeper
    foreign = page.evaluate(
        "[...document.querySelectorAll('main *')].filter((one) => /^(SCRIPT|IFRAME|IMG|STYLE|LINK|META|BASE)$/.test(one.tagName)).length"
    )
    assert foreign == 0


def test_hostile_questions_answers_and_pastes_are_text(service, open_page):
    page = open_page(service, "label")
    for number in range(3):
        expect(page.locator(".progress")).to_contain_text(f"{number} answer")
        expect(page.locator(".split .head a")).to_have_count(2)
        page.keyboard.press("y")
    expect(page.locator(".progress")).to_contain_text("3 answers")
    go(page, "answers")
    expect(page.locator("tbody tr")).to_have_count(3)
    go(page, "paste")
    page.fill("#paste", "\n".join([HOSTILE[0], *article(0)[:6], HOSTILE[0], *article(0)[6:]]))
    page.keyboard.press("Control+Enter")
    expect(page.locator(".match summary").first).to_contain_text("<script>ran()</script>")


def test_links_of_the_page_lead_nowhere_else(service, open_page):
    page = open_page(service, "clusters")
    expect(page.locator("a.cluster").first).to_be_visible()
    hrefs = page.evaluate("[...document.querySelectorAll('a')].map((one) => one.getAttribute('href'))")
    assert all(href.startswith("#") for href in hrefs), hrefs


def test_an_address_made_by_somebody_else_does_nothing(service, open_page):
    for route in ("document/%3Cscript%3Eran()%3C%2Fscript%3E", "%", "javascript:ran()", "constructor/x", "__proto__"):
        page = open_page(service, route)
        expect(page.locator("main h1")).to_be_visible()


def go(page, view: str, id: str | None = None) -> None:
    page.evaluate(
        "([view, id]) => { location.hash = '#/' + view + (id === null ? '' : '/' + encodeURIComponent(id)); }", [view, id]
    )
    expect(page.locator("main [aria-busy]")).to_have_count(0)


def shown(value: str) -> str:
    """Control characters are shown as such."""
    return "".join("\ufffd" if ord(one) < 32 or 127 <= ord(one) < 160 else one for one in value)
