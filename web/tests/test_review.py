"""A person goes through clusters by keyboard, and what they say stays said."""

import re

import pytest
from playwright.sync_api import expect

from corpus import families


@pytest.fixture(scope="module")
def service(make_service):
    service = make_service()
    service.add(families(4))
    return service


def test_overview_counts_what_is_there(service, open_page):
    page = open_page(service)
    figure = lambda name: page.locator(".figure", has=page.get_by_text(name, exact=True)).locator(".value")
    expect(figure("documents")).to_have_text("12")
    found = service.get("/v1/stat", wait=30)["findings"]
    expect(figure("copies")).to_have_text(str(found["copies"]))
    expect(figure("clusters")).to_have_text(str(found["clusters"]))
    # Growth, sizes, scores: each says its numbers in words.
    expect(page.locator(".plot svg[role=img]")).to_have_count(3)
    sizes = page.locator(".plot svg").nth(1).get_attribute("aria-label")
    assert str(found["sizes"][0]["count"]) in sizes


def test_clusters_are_reviewed_by_keyboard_and_answers_survive_a_restart(service, open_page):
    before = service.get("/v1/clusters", wait=30)["clusters"]
    assert before[0]["size"] == 3, before
    page = open_page(service)
    page.keyboard.press("2")
    expect(page.locator("a.cluster")).to_have_count(len(before))
    page.keyboard.press("j")
    expect(page.locator("a.cluster").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".split")).to_be_visible()
    expect(page.locator(".verdict")).to_contain_text("Found by comparison: duplicates")
    keeper, copies = before[0]["id"], [member["id"] for member in before[0]["members"]]

    # The first copy is one, the second is not.
    page.keyboard.press("y")
    expect(page.locator(".copy[aria-current]")).to_contain_text(copies[1])
    expect(page.locator("#status")).to_contain_text("a duplicate")
    expect(page.locator(".head a").nth(1)).to_have_text(copies[1])
    page.keyboard.press("n")
    # Every copy has an answer: the next cluster is there.
    expect(page).to_have_url(re.compile(re.escape("#/cluster/" + before[1]["id"])))
    page.keyboard.press("Escape")
    expect(page.locator("a.cluster").first).to_be_visible()

    service.restart()
    apart = f"/v1/pairs/{keeper}/{copies[1]}"
    assert service.get(apart)["verdict"] == {**service.get(apart)["verdict"], "duplicate": False, "by": "person"}
    after = service.get("/v1/clusters", wait=30)["clusters"]
    members = {cluster["id"]: {member["id"] for member in cluster["members"]} for cluster in after}
    assert copies[0] in members[keeper] and copies[1] not in members[keeper], members

    page = open_page(service, f"cluster/{keeper}")
    expect(page.locator(".copy")).to_have_count(1)
    expect(page.locator(".copy")).to_contain_text(copies[0])
    expect(page.locator(".verdict")).to_contain_text("A person said: duplicates")
    page.goto(f"{service.address}/#/answers")
    row = page.locator("tbody tr", has_text=copies[1])
    expect(row).to_contain_text("not duplicates")
    row.get_by_role("button", name="Take back").click()
    expect(page.locator("#status")).to_contain_text("taken back")
    expect(row).to_have_count(0)
    assert service.get(apart)["judgment"] is None


def test_an_answer_can_be_undone_and_the_other_one_kept(service, open_page):
    cluster = service.get("/v1/clusters", wait=30)["clusters"][-1]
    keeper, copy = cluster["id"], cluster["members"][0]["id"]
    page = open_page(service, f"cluster/{keeper}")
    expect(page.locator(".split")).to_be_visible()
    page.keyboard.press("n")
    expect(page.locator("#status")).to_contain_text("not a duplicate")
    page.keyboard.press("u")
    expect(page.locator("#status")).to_contain_text("taken back")
    assert service.get(f"/v1/pairs/{keeper}/{copy}")["judgment"] is None
    expect(page.locator(".copy").first).to_have_attribute("aria-current", "true")
    expect(page.locator(".verdict")).to_contain_text("Found by comparison")

    page.keyboard.press("o")
    expect(page.locator("#status")).to_contain_text("the other one is kept")
    service.restart()
    assert service.get(f"/v1/clusters/{keeper}", wait=30)["id"] == copy


def test_undo_takes_back_all_that_keeping_the_other_one_said(make_service, open_page):
    service = make_service()
    service.add(families(1, shares=(0.04,)))
    page = open_page(service, "cluster/article-0")
    expect(page.locator(".split")).to_be_visible()
    page.keyboard.press("o")
    expect(page.locator("#status")).to_contain_text("the other one is kept")
    assert service.get("/v1/pairs/article-0/article-0-copy-0")["judgment"]["duplicate"] is True
    page.keyboard.press("u")
    expect(page.locator("#status")).to_contain_text("taken back")
    assert service.get("/v1/pairs/article-0/article-0-copy-0")["judgment"] is None
    assert service.get("/v1/clusters/article-0", wait=30)["id"] == "article-0"


def test_keeping_the_other_one_of_three_can_be_taken_back_without_a_trace(make_service, open_page):
    service = make_service("--memory", "64M", create=("--method", "minhash", "--threshold", "0.7", "--ttl", "30d"))
    service.add(families(1))
    state = lambda: [service.get("/v1/clusters/article-0", wait=60)["members"],
                     *(service.get(f"/v1/documents/article-0{name}") for name in ("", "-copy-0", "-copy-1"))]
    before = state()
    page = open_page(service, "cluster/article-0")
    expect(page.locator(".split")).to_be_visible()
    page.keyboard.press("o")
    expect(page.locator("#status")).to_contain_text("the other one is kept")
    assert service.get("/v1/clusters/article-0", wait=60)["id"] == "article-0-copy-0"
    page.keyboard.press("u")
    expect(page.locator("#status")).to_contain_text("taken back")
    assert state() == before


def test_undo_reaches_back_over_clusters(make_service, open_page):
    service = make_service()
    # One copy each, as most clusters have.
    service.add(families(4, shares=(0.04,)))
    clusters = service.get("/v1/clusters", wait=30)["clusters"]
    pairs = [(cluster["id"], copy["id"]) for cluster in clusters for copy in cluster["members"]]
    page = open_page(service, f"cluster/{clusters[0]['id']}")
    for keeper, copy in pairs:
        expect(page.locator(".head a").first).to_have_text(keeper)
        expect(page.locator(".head a").nth(1)).to_have_text(copy)
        page.keyboard.press("n")
    expect(page.locator(".content")).to_contain_text("Every copy in this cluster has an answer")
    assert service.get("/v1/judgments")["total"] == len(pairs) == 4
    # By now a run knows that none of the clusters is one.
    assert service.get("/v1/clusters", wait=30)["clusters"] == []
    for keeper, copy in reversed(pairs[1:]):
        page.keyboard.press("u")
        expect(page.locator("#status")).to_contain_text("taken back")
        expect(page.locator(".head a").first).to_have_text(keeper)
        expect(page.locator(".head a").nth(1)).to_have_text(copy)
        expect(page.locator(".copy[aria-current]")).to_contain_text("no answer")
        assert service.get(f"/v1/pairs/{keeper}/{copy}")["judgment"] is None
    assert service.get("/v1/judgments")["total"] == 1
    keeper, copy = pairs[1]
    page.keyboard.press("y")
    expect(page.locator(".head a").first).not_to_have_text(keeper)
    assert service.get(f"/v1/pairs/{keeper}/{copy}")["judgment"]["duplicate"] is True


def test_thirty_pairs_are_answered_by_thirty_keys(make_service, open_page):
    service = make_service()
    service.add(families(16))
    clusters = service.get("/v1/clusters", wait=30)["clusters"]
    pairs = [(cluster["id"], copy["id"]) for cluster in clusters for copy in cluster["members"]]
    page = open_page(service, f"cluster/{clusters[0]['id']}")
    expect(page.locator(".split")).to_be_visible()
    keys = ["yn"[number % 3 == 2] for number in range(30)]
    # As fast as they come; none is waited for.
    for key in keys:
        page.keyboard.press(key)
    expect(page.locator(".head a").first).to_have_text(pairs[30][0])
    expect(page.locator(".head a").nth(1)).to_have_text(pairs[30][1])
    said = {(one["a"], one["b"]): one["duplicate"] for page in [service.get("/v1/judgments", limit=200)] for one in page["judgments"]}
    assert said == {pair: key == "y" for pair, key in zip(pairs, keys)}


def test_keys_that_are_pressed_while_a_pair_loads_are_kept_for_it(make_service, open_page):
    service = make_service()
    service.add(families(2))
    page = open_page(service, "cluster/article-0")
    expect(page.locator(".split")).to_be_visible()
    held = []
    page.route("**/v1/pairs/article-0/article-0-copy-1*", lambda route: held.append(route))
    page.keyboard.press("y")
    expect(page.locator(".copy[aria-current]")).to_contain_text("copy-1")
    # A click means what is shown, which is no pair now; a key means the pair that comes.
    page.get_by_role("button", name="Not a duplicate").click()
    page.keyboard.press("n")
    page.keyboard.press("y")
    assert len(service.get("/v1/judgments")["judgments"]) == 1
    held[0].continue_()
    expect(page.locator(".head a").nth(1)).to_have_text("article-1-copy-1")
    said = [(one["a"], one["b"], one["duplicate"]) for one in service.get("/v1/judgments")["judgments"]]
    assert said == [
        ("article-0", "article-0-copy-0", True),
        ("article-0", "article-0-copy-1", False),
        ("article-1", "article-1-copy-0", True),
    ]


def test_keys_after_a_failure_are_not_applied_to_another_pair(make_service, open_page):
    service = make_service()
    service.add(families(2))
    page = open_page(service, "cluster/article-0")
    expect(page.locator(".split")).to_be_visible()
    held = []
    page.route("**/v1/judgments", lambda route: held.append(route))
    for key in "yny":
        page.keyboard.press(key)
    while not held:
        page.wait_for_timeout(20)
    held[0].fulfill(status=500, json={"detail": "The disk is broken."})
    expect(page.get_by_role("alert")).to_contain_text("The disk is broken")
    expect(page.locator(".head a").nth(1)).to_have_text("article-0-copy-0")
    page.unroute_all(behavior="wait")
    assert service.get("/v1/judgments")["judgments"] == []


def test_clusters_without_an_answer_are_found_with_one_key(make_service, open_page):
    service = make_service()
    service.add(families(3))
    clusters = [cluster["id"] for cluster in service.get("/v1/clusters", wait=30)["clusters"]]
    for copy in (0, 1):
        service.call("POST", "/v1/judgments", {"a": clusters[0], "b": f"{clusters[0]}-copy-{copy}", "duplicate": True})
    page = open_page(service, "clusters")
    expect(page.locator("a.cluster")).to_have_count(3)
    page.get_by_label("Show").select_option("open")
    expect(page.locator("a.cluster")).to_have_count(2)
    page.get_by_label("Show").select_option("")
    page.get_by_label("Sort by").select_option("open")
    expect(page.locator("a.cluster").last).to_contain_text("all answered")
    page.locator("h1").click()
    page.keyboard.press("g")
    expect(page.locator(".head a").first).to_have_text(clusters[1])
    page.keyboard.press("n")
    page.keyboard.press("k")
    expect(page.locator(".copy").first).to_have_attribute("aria-current", "true")
    # Past the answered one.
    page.keyboard.press("g")
    expect(page.locator(".head a").nth(1)).to_have_text(f"{clusters[1]}-copy-1")
    page.keyboard.press("g")
    expect(page.locator(".head a").first).to_have_text(clusters[2])


def test_a_large_cluster_goes_on_after_its_first_page(make_service, open_page):
    service = make_service()
    text = families(1)[0]["text"]
    service.add([{"id": f"copy-{number:03}", "text": text} for number in range(206)])
    page = open_page(service, "cluster/copy-000")
    expect(page.locator(".copy")).to_have_count(199)
    page.locator(".copy").last.click()
    expect(page.locator(".head a").nth(1)).to_have_text("copy-199")
    page.keyboard.press("j")
    expect(page.locator(".head a").nth(1)).to_have_text("copy-200")
    expect(page.locator(".copy")).to_have_count(205)


def test_what_is_open_stays_open_while_the_overview_is_made_anew(service, open_page):
    page = open_page(service, "paste")
    stale = lambda route: route.fulfill(json={**(stat := route.fetch().json()), "findings": {**stat["findings"], "stale": True}})
    page.route("**/v1/stat*", stale)
    page.keyboard.press("Escape")
    page.evaluate("location.hash = '#/'")
    settings = page.get_by_text("Technical details")
    settings.focus()
    page.keyboard.press("Enter")
    expect(page.locator("details")).to_have_attribute("open", "")
    # When the third is asked for, the second has been drawn.
    for _ in range(3):
        with page.expect_response("**/v1/stat*"):
            pass
    expect(page.locator("details")).to_have_attribute("open", "")
    expect(page.locator("summary")).to_be_focused()
    page.unroute_all(behavior="wait")


def test_both_views_of_the_difference_show_what_differs(service, open_page):
    cluster = service.get("/v1/clusters", wait=30)["clusters"][1]
    page = open_page(service, f"cluster/{cluster['id']}")
    expect(page.locator(".split .row.changed").first).to_be_visible()
    only_left = page.locator(".split del").first.inner_text()
    assert page.locator(".split ins").count() > 0
    page.keyboard.press("v")
    expect(page.locator(".text del").first).to_be_visible()
    assert only_left.split()[0] in page.locator(".text").inner_text()
    page.keyboard.press("v")
    expect(page.locator(".split")).to_be_visible()
    page.get_by_text("Why", exact=True).click()
    expect(page.locator(".evidence")).to_contain_text("bucket keys")
    page.get_by_text(re.compile(r"^Fields \(")).click()
    expect(page.locator("td.differs").first).to_be_visible()


def test_clusters_are_filtered(service, open_page):
    page = open_page(service, "clusters")
    expect(page.locator("a.cluster").first).to_be_visible()
    page.get_by_label("At least this many documents").fill("50")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No cluster matches.")).to_be_visible()
    page.get_by_label("At least this many documents").fill("")
    page.get_by_label("Kept document has").fill("nonsense")
    page.keyboard.press("Tab")
    expect(page.locator("p[role=status]")).to_contain_text("field")


def test_what_is_not_there_is_said(service, open_page):
    page = open_page(service, "document/nowhere")
    expect(page.get_by_role("alert")).to_be_visible()
    page = open_page(service, "no/such/view")
    expect(page.get_by_role("alert")).to_contain_text("no page at this address")
