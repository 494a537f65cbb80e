"""Where the service wants a token the page asks for it, and keeps it in the tab alone."""

from playwright.sync_api import expect

from corpus import families

READ, JUDGE = "r" * 32, "j" * 32


def test_the_page_asks_for_a_token_and_shows_what_it_allows(make_service, open_page, tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text(f"read {READ} reader\nread,write,judge {JUDGE} judge\n")
    tokens.chmod(0o600)
    service = make_service("--tokens", str(tokens))
    service.token = JUDGE
    service.add(families(2))
    service.get("/v1/clusters", wait=30)

    page = open_page(service, "cluster/article-0")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Access token").fill("wrong")
    page.keyboard.press("Enter")
    expect(dialog).to_contain_text("not valid here")
    dialog.get_by_label("Access token").fill(READ)
    page.keyboard.press("Enter")
    expect(page.locator(".split")).to_be_visible()
    # Who may only read is not offered what would be refused.
    expect(page.get_by_role("button", name="Not a duplicate")).to_have_count(0)
    assert READ not in page.url
    assert page.evaluate("JSON.stringify({...localStorage}) + document.cookie").count(READ) == 0
    page.reload()
    expect(page.locator(".split")).to_be_visible()

    page = open_page(service, "cluster/article-0")
    page.get_by_role("dialog").get_by_label("Access token").fill(JUDGE)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Not a duplicate")).to_be_visible()
    assert READ not in service.log() and JUDGE not in service.log()


def test_two_people_who_disagree_see_each_other(make_service, open_page, tmp_path):
    tokens = tmp_path / "tokens"
    anna, ben = "a" * 32, "b" * 32
    tokens.write_text(f"read,write,judge {anna} Anna\nread,judge {ben} Ben\n")
    tokens.chmod(0o600)
    service = make_service("--tokens", str(tokens))
    service.token = anna
    service.add(families(2))
    service.get("/v1/clusters", wait=30)

    def open_as(token, route):
        page = open_page(service, route)
        page.get_by_role("dialog").get_by_label("Access token").fill(token)
        page.keyboard.press("Enter")
        return page

    first = open_as(anna, "cluster/article-0")
    expect(first.locator(".split")).to_be_visible()
    first.keyboard.press("y")
    expect(first.locator("#status")).to_contain_text("a duplicate")
    second = open_as(ben, "cluster/article-0")
    expect(second.locator(".verdict")).to_contain_text("Anna said: duplicates")
    second.keyboard.press("n")
    expect(second.locator("#status")).to_contain_text("not a duplicate")
    second.keyboard.press("k")
    expect(second.locator(".verdict")).to_contain_text("Ben said: not duplicates")
    expect(second.locator(".verdict")).to_contain_text("People disagree: Anna said duplicates")
    expect(second.locator(".copy").first).to_contain_text("people disagree")
    # Set apart, the pair is in no cluster any more; it is found among the answers.
    second.goto(f"{service.address}/#/answers")
    second.get_by_label("Only pairs on which people disagree").check()
    expect(second.locator("tbody tr")).to_have_count(2)
    # Everybody takes back only what they said themselves.
    expect(second.get_by_role("button", name="Take back")).to_have_count(1)
    second.get_by_role("button", name="Take back").click()
    expect(second.locator("#status")).to_contain_text("taken back")
    said = service.get("/v1/judgments")["judgments"]
    assert [(one["by"], one["how"], one["duplicate"]) for one in said] == [("Anna", "page", True)]
