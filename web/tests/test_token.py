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
    dialog.get_by_label("Token").fill("wrong")
    page.keyboard.press("Enter")
    expect(dialog).to_contain_text("does not know this token")
    dialog.get_by_label("Token").fill(READ)
    page.keyboard.press("Enter")
    expect(page.locator(".split")).to_be_visible()
    # Who may only read is not offered what would be refused.
    expect(page.get_by_role("button", name="Not a duplicate")).to_have_count(0)
    assert READ not in page.url
    assert page.evaluate("JSON.stringify({...localStorage}) + document.cookie").count(READ) == 0
    page.reload()
    expect(page.locator(".split")).to_be_visible()

    page = open_page(service, "cluster/article-0")
    page.get_by_role("dialog").get_by_label("Token").fill(JUDGE)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Not a duplicate")).to_be_visible()
    assert READ not in service.log() and JUDGE not in service.log()
