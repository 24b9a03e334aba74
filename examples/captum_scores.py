"""Captum's own output, judged: integrated gradients of a network of PyTorch, and the same with a common slip.

    python examples/captum_scores.py

A GRU reads words and predicts a class from its last state. Captum's integrated gradients of the embeddings, summed over
their dimensions, are a score of each word for a class. They must be for the class that is predicted. The slip is to
take one and the same class for all texts: then the first word of every other text speaks against its prediction.
"""

import numpy as np
import torch
from captum.attr import LayerIntegratedGradients
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

from attention_audit import api
from attention_audit.arrays import Floats, Floats32

SAYS = [["bad", "dull", "poor", "flat"], ["good", "great", "fine", "moving"]]
FILLERS = ["the", "a", "film", "plot", "was", "and", "with", "some", "scenes", "of", "it", "actors"]
NEUTRAL = "?"
"""The baseline of integrated gradients: a word that occurs nowhere, whose embedding stays 0."""
NUMBERS = {word: number for number, word in enumerate(["", NEUTRAL, *FILLERS, *SAYS[0], *SAYS[1]])}


def texts(count: int, seed: int) -> tuple[list[list[str]], list[int]]:
    """Texts of words, of which three speak for either class; the label is that of most of them."""
    random = np.random.default_rng(seed)
    words, labels = [], []
    for _ in range(count):
        text = [str(word) for word in random.choice(FILLERS, random.integers(5, 12))]
        sides = random.integers(0, 2, 3)
        for place, side in zip(random.choice(len(text), 3, replace=False), sides, strict=True):
            text[place] = str(random.choice(SAYS[side]))
        words.append(text)
        labels.append(int(sides.sum() > 1))
    return words, labels


class Reader(nn.Module):
    """A GRU whose last state decides; padding takes no part in it."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(NUMBERS), 16, padding_idx=0)
        nn.init.zeros_(self.embedding.weight[NUMBERS[NEUTRAL]].detach())
        self.gru = nn.GRU(16, 16, batch_first=True)
        self.classes = nn.Linear(16, 2)

    def forward(self, words: Tensor) -> Tensor:
        lengths = (words > 0).sum(1).cpu()
        packed = pack_padded_sequence(self.embedding(words), lengths, batch_first=True, enforce_sorted=False)
        logits: Tensor = self.classes(self.gru(packed)[1][-1])
        return logits


def padded(words: list[list[str]]) -> Tensor:
    """Texts as numbers of words, padded with zeros."""
    return pad_sequence([torch.tensor([NUMBERS[word] for word in text]) for text in words], batch_first=True)


def trained(words: list[list[str]], labels: list[int]) -> Reader:
    """A network of the texts."""
    torch.manual_seed(0)
    model, classes = Reader(), torch.tensor(labels)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.03)
    for _ in range(30):
        optimiser.zero_grad()
        cross_entropy(model(padded(words)), classes).backward()
        optimiser.step()
    return model.eval()


def main() -> dict[str, api.Judgement]:
    """Judge both scores on texts that the network has not seen."""
    model = trained(*texts(500, seed=0))
    words, labels = texts(150, seed=1)

    def predict(some: list[list[str]]) -> Floats32:
        with torch.no_grad():
            probabilities: Floats32 = model(padded(some)).softmax(1).numpy()
        return probabilities

    integrated = LayerIntegratedGradients(model, model.embedding)

    def scores(targets: list[int]) -> list[Floats]:
        """The integrated gradients of each word for a class of each text."""
        found = []
        for text, target in zip(words, targets, strict=True):
            baseline = padded([[NEUTRAL] * len(text)])
            gained = integrated.attribute(padded([text]), baseline, target=target)[0].sum(1)
            found.append(gained.detach().numpy())
        return found

    named = {"for the predicted class": predict(words).argmax(1).tolist(), "for class 1 always": [1] * len(words)}
    return {name: api.judge(words, scores(targets), predict, labels=labels) for name, targets in named.items()}


if __name__ == "__main__":
    for name, judgement in main().items():
        print(f"Scores {name}\n{judgement}\n")
