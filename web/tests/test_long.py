"""Documents of five megabytes do not freeze the page."""

import pytest
from playwright.sync_api import expect

from corpus import article


@pytest.fixture(scope="module")
def service(make_service):
    service = make_service()
    lines = article(5, 70_000)
    text = "\n".join(lines)
    assert len(text) > 5_000_000
    one_line = text.replace("\n", " ")
    service.add([
        {"id": "long", "text": text},
        {"id": "long copy", "text": text.replace("bridge", "viaduct", 3)},
        {"id": "one line", "text": one_line},
        {"id": "no spaces", "text": "字" * 1_700_000},
    ])
    return service


# The page counts, itself, how long it was kept from answering: no clock of the machine decides, only
# that everything is shown while little of it is drawn.
def drawn(page) -> int:
    return page.evaluate("document.querySelector('main').textContent.length")


@pytest.mark.parametrize("id", ["long", "one line", "no spaces"])
def test_a_long_document_is_drawn_piece_by_piece(service, open_page, id):
    page = open_page(service, f"document/{id}")
    expect(page.locator(".piece").first).to_be_visible()
    assert drawn(page) < 400_000
    first = drawn(page)
    # Scrolling to the end draws more, and so does the button.
    page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    page.wait_for_function("(before) => document.querySelector('main').textContent.length > before", arg=first)
    more = page.locator(".more")
    expect(more).to_contain_text("parts are shown")
    more.focus()
    before = drawn(page)
    page.keyboard.press("Enter")
    page.wait_for_function("(before) => document.querySelector('main').textContent.length > before", arg=before)
    # It still answers.
    page.keyboard.press("2")
    expect(page.locator("h1")).to_have_text("Clusters")


def test_two_long_documents_are_compared(service, open_page):
    service.get("/v1/clusters", wait=60)
    page = open_page(service, "cluster/long")
    expect(page.locator(".split ins").first).to_contain_text("viaduct")
    expect(page.locator(".content")).to_contain_text("The texts are long")
    assert drawn(page) < 400_000
    page.locator(".fold button").last.click()
    expect(page.locator(".split .row.same").nth(20)).to_be_attached()
    page.keyboard.press("v")
    expect(page.locator(".text del").first).to_be_attached()
    assert drawn(page) < 1_000_000
