"""A Transformer of Hugging Face under an attention layer of one's own: how its readout is computed.

    python examples/hugging_face.py FOLDER

The model is a BERT with states h_t of pieces of words, an attention layer a_t = softmax_t(q . h_t) over the pieces, and
a linear classifier of the state that it attends to: logits = W (sum_t a_t h_t) + b. So z_t = W h_t, and
logits = sum_t a_t z_t + b, which holds for any model that pools linearly, whatever computes h_t.

Readers see words and not pieces. The weight of a word is the sum over its pieces, a_w = sum a_t, and its contribution
z_w = (sum a_t z_t) / a_w, so that sum_w a_w z_w = sum_t a_t z_t.

To try it anywhere, the BERT here is a tiny one that is made on the spot. With `AutoModel.from_pretrained(FOLDER)` and
`AutoTokenizer.from_pretrained(FOLDER)` in its place, nothing else changes. It needs the extra of the package:
`python -m pip install --editable ".[transformers]"`.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from attention_audit import api

CLASSES = ["bad", "good"]
CUES = {0: ["bad", "dull", "hateful"], 1: ["good", "great", "enjoyable"]}
FILLERS = ["the", "a", "film", "plot", "was"]
MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
PIECES = [*MARKS, *FILLERS, "good", "great", "bad", "dull", "enjoy", "hate", "##able", "##ful"]


def tokenizer() -> PreTrainedTokenizerFast:
    """A tokenizer that cuts words into pieces, as BERT's does."""
    pieces = Tokenizer(models.WordPiece({piece: row for row, piece in enumerate(PIECES)}, unk_token="[UNK]"))
    pieces.pre_tokenizer = pre_tokenizers.Whitespace()
    pieces.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(tokenizer_object=pieces, unk_token="[UNK]", pad_token="[PAD]")


class Classifier(nn.Module):
    """States of a Transformer, attention over them, and a linear classifier."""

    def __init__(self, encoder: nn.Module, width: int, classes: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.query = nn.Linear(width, 1, bias=False)
        self.classify = nn.Linear(width, classes)

    def forward(self, encoded: dict[str, Tensor], pieces: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits (B, C), attention (B, L) and z (B, L, C). pieces (B, L): true on what may be attended to."""
        states = self.encoder(**encoded).last_hidden_state
        scores = self.query(states)[..., 0].masked_fill(~pieces, float("-inf"))
        attention = scores.softmax(-1)
        pooled = (attention[..., None] * states).sum(1)
        return self.classify(pooled), attention, states @ self.classify.weight.T


def texts(count: int, seed: int) -> tuple[list[list[str]], list[int]]:
    """Texts of words, and their labels."""
    random = np.random.default_rng(seed)
    words, labels = [], []
    for number in range(count):
        text = [str(word) for word in random.choice(FILLERS, random.integers(3, 9))]
        text[int(random.integers(len(text)))] = str(random.choice(CUES[number % 2]))
        words.append(text)
        labels.append(number % 2)
    return words, labels


def encode(
    cut: PreTrainedTokenizerFast, words: list[list[str]]
) -> tuple[dict[str, Tensor], Tensor, list[list[int | None]]]:
    """Pieces as the encoder takes them, which of them belong to words, and the word of each."""
    batch = cut(words, is_split_into_words=True, padding=True, return_tensors="pt")
    of_word = [batch.word_ids(number) for number in range(len(words))]
    pieces = torch.tensor([[word is not None for word in row] for row in of_word])
    return {"input_ids": batch["input_ids"], "attention_mask": batch["attention_mask"]}, pieces, of_word


def train(seed: int, steps: int = 30) -> Classifier:
    """A small model, trained for a few steps."""
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(PIECES), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32
    )
    model = Classifier(BertModel(config), 16, len(CLASSES))
    words, labels = texts(64, seed=0)
    encoded, pieces, _ = encode(tokenizer(), words)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        cross_entropy(model(encoded, pieces)[0], torch.tensor(labels)).backward()
        optimizer.step()
    return model.eval()


def read_out(model: Classifier) -> api.GivenReadout:
    """The readout of a model on the test texts, word by word."""
    words, labels = texts(100, seed=1)
    encoded, pieces, of_word = encode(tokenizer(), words)
    with torch.inference_mode():
        logits, attention, z = (part.double() for part in model(encoded, pieces))
    maps, contributions = [], []
    for number, text in enumerate(words):
        weights, added = np.zeros(len(text)), np.zeros((len(text), len(CLASSES)))
        for place, word in enumerate(of_word[number]):
            if word is not None:
                weight = float(attention[number, place])
                weights[word] += weight
                added[word] += weight * z[number, place].numpy()
        maps.append(weights / weights.sum())
        contributions.append(added / weights[:, None])
    bias = model.classify.bias.detach().numpy()
    return api.readout(words, maps, contributions, bias, labels, logits.softmax(-1).numpy())


def main(folder: Path) -> dict[str, pd.DataFrame]:
    """Write the readouts of two trainings, and return the tables of their audits."""
    trainings = [read_out(train(seed)) for seed in (1, 2)]
    for number, training in enumerate(trainings, start=1):
        api.write(training, folder / f"bert{number}.parquet")
    return api.audit(trainings, classes=CLASSES)


if __name__ == "__main__":
    tables = main(Path(sys.argv[1]))
    answers = api.by_question(tables["summary"])
    print(answers[["question", "verdict", "value", "low", "high"]].round(2).to_string(index=False))
    print(tables["texts"][["words", "weights", "contributions"]].head().to_string())
