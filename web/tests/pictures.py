"""Makes the pictures of docs/review.md: `scripts/page pictures`."""

import pathlib
import random
import subprocess
import sys
import tempfile

from PIL import Image
from playwright.sync_api import expect, sync_playwright

from conftest import BINARY, Service
from corpus import article, changed

NEWS = [
    "The council met on Tuesday evening to discuss the new bridge over the river.",
    "Several residents spoke about noise, traffic and the old trees along the bank.",
    "The mayor said that the plan would be changed where that was possible.",
    "A report on the costs is expected in May, and will be open to everybody.",
    "Until then the work on the northern side goes on.",
    "The southern road stays open for bicycles and pedestrians, as it has been since autumn.",
    "The harbor company had asked for a higher bridge, so that masts can pass below it.",
    "Its engineers have drawn two plans, of which the cheaper one needs fewer piers.",
    "The next meeting is on the first of June.",
]


def documents() -> list[dict]:
    def news(id, title, source, *changes):
        text = "\n".join(NEWS)
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        return {"id": id, "title": title, "source": source, "text": text}

    made = [
        news("gazette/1204", "Council discusses the bridge", "Gazette"),
        news("courier/88", "Bridge before the council", "Courier", ("Tuesday evening", "Wednesday night"), ("fewer piers", "fewer pillars")),
        news("herald/5531", "New bridge: council meets", "Herald", ("The mayor said", "The mayor, who had been ill, said"), ("first of June", "second of June")),
        news("post/19", "Council and bridge", "Post", ("A report on the costs is expected in May, and will be open to everybody.\n", "")),
    ]
    rng = random.Random(1)
    for family in range(120):
        original = article(family)
        made.append({"id": f"wire/{family:03}", "text": "\n".join(original)})
        for copy in range(rng.choice([0, 0, 1, 1, 1, 2, 3, 5, 9])):
            lines = changed(original, rng.choice([0.04, 0.08, 0.12, 0.2, 0.3]), 1000 * family + copy)
            made.append({"id": f"wire/{family:03}/{copy}", "text": "\n".join(lines)})
    return made


def main(folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=30_000)
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        index = pathlib.Path(temporary) / "index"
        create = [BINARY, "index", "create", str(index), "--method", "minhash", "--threshold", "0.7"]
        subprocess.run(create, check=True, capture_output=True)
        service = Service(index).start()
        try:
            all_documents = documents()
            for start in range(0, len(all_documents), 40):
                service.add(all_documents[start : start + 40])
            service.get("/v1/clusters", wait=60)
            browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-lcd-text"])
            draw(browser, service, folder)
            browser.close()
            for picture in folder.glob("*.png"):
                Image.open(picture).convert("RGB").quantize(64).save(picture, optimize=True)
        finally:
            service.stop()


def draw(browser, service: Service, folder: pathlib.Path) -> None:
    def page(scheme, width=1180, height=720):
        context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": height})
        return context.new_page()

    def go(page, route):
        page.goto(f"{service.address}/#/{route}")
        expect(page.locator("main h1")).to_be_visible()
        expect(page.locator("main [aria-busy]")).to_have_count(0)

    light, dark, narrow = page("light"), page("dark"), page("light", 390, 760)
    go(light, "")
    light.screenshot(path=folder / "overview.png")
    go(dark, "clusters")
    dark.screenshot(path=folder / "clusters.png")
    go(light, "cluster/" + "gazette%2F1204")
    expect(light.locator(".split")).to_be_visible()
    light.screenshot(path=folder / "review.png")
    go(narrow, "cluster/" + "gazette%2F1204")
    expect(narrow.locator(".split")).to_be_visible()
    narrow.screenshot(path=folder / "narrow.png")
    go(dark, "label")
    for number in range(12):
        expect(dark.locator(".progress")).to_contain_text(f"{number} answer")
        pair = "/".join(one.replace("/", "%2F") for one in dark.locator(".head a").all_inner_texts())
        dark.keyboard.press("y" if service.get("/v1/pairs/" + pair)["method"]["score"] > 0.6 else "n")
    expect(dark.locator(".progress")).to_contain_text("12 answers")
    dark.screenshot(path=folder / "label.png")
    go(light, "paste")
    light.fill("#paste", "\n".join(NEWS[:5]).replace("Tuesday", "Monday") + "\n" + "\n".join(NEWS[5:]).replace("June", "July"))
    light.keyboard.press("Control+Enter")
    expect(light.locator(".match").first).to_be_visible()
    light.screenshot(path=folder / "paste.png")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
