"""Ten pairs are labelled by keyboard, and tune makes something of them."""

import pytest
from playwright.sync_api import expect

from corpus import families


@pytest.fixture(scope="module")
def service(make_service):
    service = make_service()
    service.add(families(8, shares=(0.08, 0.17, 0.25, 0.34)))
    return service


def test_ten_pairs_are_labelled_and_tune_says_what_they_teach(service, open_page):
    page = open_page(service)
    page.keyboard.press("3")
    seen = []
    for number in range(10):
        expect(page.locator(".progress")).to_contain_text(f"{number} answer")
        expect(page.locator(".split .head a")).to_have_count(2)
        pair = tuple(page.locator(".split .head a").all_inner_texts())
        assert pair not in seen
        seen.append(pair)
        score = service.get("/v1/pairs/" + "/".join(pair))["method"]["score"]
        page.keyboard.press("y" if score > 0.6 else "n")
    expect(page.locator(".progress")).to_contain_text("10 answers")
    said = {(one["a"], one["b"]): one["duplicate"] for one in service.get("/v1/judgments")["judgments"]}
    assert {tuple(sorted(pair)) for pair in seen} == {tuple(sorted(pair)) for pair in said}
    assert set(said.values()) == {True, False}, said

    # The last answer is taken back and given again.
    page.keyboard.press("u")
    expect(page.locator("#status")).to_contain_text("taken back")
    expect(page.locator(".progress")).to_contain_text("9 answers")
    expect(page.locator(".split .head a").first).to_have_text(seen[-1][0])
    page.keyboard.press("n")
    expect(page.locator(".progress")).to_contain_text("10 answers")
    # Passing asks about another pair and says nothing about this one.
    passed = page.locator(".split .row.head").text_content()
    page.keyboard.press("s")
    expect(page.locator(".split .row.head")).not_to_have_text(passed)
    assert service.get("/v1/judgments")["total"] == 10

    page.locator(".tune").get_by_role("button").click()
    expect(page.locator(".ranking tbody tr").first).to_be_visible()
    expect(page.locator(".ranking tfoot")).to_contain_text("Expected on new documents")


def test_answers_are_saved_as_a_file(service, open_page):
    page = open_page(service, "answers")
    expect(page.locator("tbody tr").first).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save all answers").click()
    lines = open(download.value.path(), encoding="utf-8").read().splitlines()
    assert len(lines) == service.get("/v1/judgments")["total"]
