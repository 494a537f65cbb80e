"""A text is pasted, and the page shows what it copies."""

import pytest
from playwright.sync_api import expect

from corpus import article, families


@pytest.fixture(scope="module")
def service(make_service):
    service = make_service()
    service.add(families(3))
    return service


def test_a_pasted_text_shows_what_it_copies(service, open_page):
    page = open_page(service)
    page.keyboard.press("4")
    expect(page.get_by_label("The text is compared")).to_be_focused()
    # Keys are letters while somebody writes.
    page.keyboard.type("1 2 ?")
    expect(page.locator("#paste")).to_have_value("1 2 ?")
    page.fill("#paste", "\n".join(article(1)).replace("The ", "Their ", 1))
    page.keyboard.press("Control+Enter")
    expect(page.locator(".result h2")).to_contain_text("It resembles")
    expect(page.locator(".match summary").first).to_contain_text("article-1")
    expect(page.locator(".match").first.locator("del").first).to_have_text("Their")
    assert service.get("/v1/stat")["index"]["documents"] == 9
    page.locator(".match").first.get_by_role("link", name="Open the document").click()
    expect(page.locator("h1")).to_have_text("Article 1")
    page.go_back()
    expect(page.locator("#paste")).not_to_have_value("")


def test_a_new_text_copies_nothing(service, open_page):
    page = open_page(service, "paste")
    page.fill("#paste", "\n".join(article(99)))
    page.get_by_role("button", name="Compare").click()
    expect(page.locator(".result")).to_have_text("No document resembles this text.")
    page.fill("#paste", "")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("#status")).to_contain_text("Paste a text first")
