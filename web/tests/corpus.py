"""Documents for the tests: made-up articles, and copies of them at different distances."""

import random

WHO = (
    "The council", "The harbor company", "A group of residents", "The mayor", "The school board", "The museum", "An engineer",
    "The ferry office", "The library", "A farmer from the valley", "The railway", "The orchard keepers", "A retired sailor", "The bridge committee",
)
DID = (
    "asked for a survey of", "spoke against the plan for", "paid for the repair of", "has drawn a map of", "wrote a report on",
    "will open", "has sold a part of", "found old letters about", "wants to move", "took pictures of", "counted the visitors of",
    "closed the road to", "planted trees around", "lost its case about",
)
WHAT = (
    "the old quay", "the stone bridge", "the covered market", "the northern tunnel", "the water mill", "the botanical garden",
    "the copper works", "the signal tower", "the winter fair", "the timber yard", "the painted windows", "the ferry landing",
    "the village green", "the new reading room",
)
WHEN = (
    "before the end of summer", "after the storm in March", "during the last meeting", "for the third year", "without asking anybody",
    "on the first day of spring", "against the advice of the doctor", "at a cost of two million", "when the snow had gone",
    "in the early morning", "to the surprise of its neighbors", "since nobody else would", "with the help of a teacher", "as it had promised",
)


def article(seed: int, sentences: int = 24) -> list[str]:
    rng = random.Random(seed)
    return [" ".join(rng.choice(part) for part in (WHO, DID, WHAT, WHEN)) + "." for _ in range(sentences)]


def changed(lines: list[str], share: float, seed: int) -> list[str]:
    """The article with this share of its sentences written anew."""
    rng = random.Random(seed)
    new = article(seed + 1000, len(lines))
    for number in rng.sample(range(len(lines)), round(share * len(lines))):
        lines = lines[:number] + [new[number]] + lines[number + 1 :]
    return lines


def document(id: str, lines: list[str], **fields) -> dict:
    return {"id": id, "text": "\n".join(lines), **fields}


def families(count: int, shares=(0.04, 0.08)) -> list[dict]:
    """Articles, each with copies that differ in these shares of their sentences."""
    documents = []
    for family in range(count):
        original = article(family)
        documents.append(document(f"article-{family}", original, title=f"Article {family}", source="Gazette"))
        for number, share in enumerate(shares):
            copy = changed(original, share, 100 * family + number)
            documents.append(document(f"article-{family}-copy-{number}", copy, source="Courier"))
    return documents
