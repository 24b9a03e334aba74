"""Raw files of a user's own, and one as a paper's, small."""

import csv
import random
import zipfile


def write_reviews(path, stars, texts):
    """Texts whose words tell the number of stars, with what a csv file may hold in them."""
    draw = random.Random(1)
    with path.open("w", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(["stars", "review"])
        for number in range(texts):
            label = number % stars
            words = [f"word{draw.randrange(20)}" for _ in range(draw.randint(3, 9))]
            writer.writerow([label + 1, f'{words[0]}, "grade{label}"\n{" ".join(words)}'])


def write_pairs(path, texts):
    """Texts, each with a question that tells its label."""
    rows = (f'{{"text": "a b{i % 5} c{i % 3}", "question": "d {i % 2}", "label": {i % 2}}}\n' for i in range(texts))
    path.write_text("".join(rows))


def write_treebank(path):
    """An archive as the Stanford Sentiment Treebank's; the filter by length drops the longest text of every split."""
    path.parent.mkdir(parents=True)
    longest = f"(0 {' '.join(['(2 a)'] * 30)})"
    with zipfile.ZipFile(path, "w") as trees:
        for split in ("train", "dev", "test"):
            texts = (
                f"({4 * (i % 2)} (2 a) (2 b{i % 5}) (2 c{i % 3}) (2 d) (2 e) (2 f) (2 g{i % 7}))" for i in range(60)
            )
            trees.writestr(f"trees/{split}.txt", "\n".join([*texts, longest]))
