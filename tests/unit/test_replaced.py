"""Words replaced in the input: by hand, and against texts written with the others one by one."""

from collections.abc import Callable
from math import ceil
from pathlib import Path
from types import SimpleNamespace

import classifiers_on_disk
import numpy as np
import pytest
import torch
from small_networks import CPU, model_of, split_of
from test_located import LENGTHS, QUERIES, TEXTS, texts_of

from attention_audit.audits import located as module
from attention_audit.audits.attributed import Attributed
from attention_audit.audits.located import always, drawn, located, replaced, with_others
from attention_audit.audits.settings import Agreement, Deletion, Erasure
from attention_audit.model.batch import Batch, Split
from attention_audit.model.sequence_classifier import SequenceClassifier
from attention_audit.model.tail import probabilities
from attention_audit.readout import Readout
from attention_audit.stages.reading_classifiers import take_classifier
from attention_audit.transformer.pieces import SPECIAL, cut
from attention_audit.transformer.states import PieceBatch, PieceTable

MakeReadout = Callable[..., Readout]
OCCURRENCES = np.array([0, 0, 0, 0, *range(1, 27)])
"""Of the 30 rows of the embedding, of which the first four are marks."""
NAMES = ["text-0", "text-1"]
CLASSIFIED = [list(classifiers_on_disk.WORDS[:5]), list(classifiers_on_disk.WORDS[3:12])]
SETTINGS = Agreement(texts=3, steps=4), Erasure(), Deletion()


def test_other_words_by_hand() -> None:
    # rows 4, 5 and 6 have the occurrences 0 and 1, 2, and 3; of row 5, what is left is 0 and 3
    occurrences = np.array([0, 0, 0, 0, 2, 1, 1])
    own = np.array([4, 4, 5, 5, 5, 6, 1, 1])
    uniform = np.array([0.0, 0.5, 0.0, 0.34, 0.67, 0.99, 0.0, 0.99])
    assert drawn(own, occurrences, uniform).tolist() == [5, 6, 4, 4, 6, 5, 4, 6]
    # the training texts have one word alone
    assert drawn(np.array([4]), np.array([0, 0, 0, 0, 9]), np.array([0.5])).tolist() == [1]


def test_words_are_drawn_as_often_as_they_occur() -> None:
    uniform = np.random.default_rng(0).random(20000)
    found = drawn(np.full(20000, 5), np.array([0, 0, 0, 0, 1, 4, 3]), uniform)
    # three standard errors of a share of a quarter
    assert np.bincount(found, minlength=7)[4:] / 20000 == pytest.approx([1 / 4, 0, 3 / 4], abs=0.0092)


@pytest.mark.parametrize(("encoder", "pair"), [("bilstm", False), ("affine", False), ("conv", False), ("bilstm", True)])
def test_falls_are_those_of_texts_written_with_other_words(
    encoder: str, pair: bool, random_readout: MakeReadout, random_pairs: MakeReadout
) -> None:
    model, split = model_of(encoder, pair), texts_of(pair)
    readout = (random_pairs if pair else random_readout)(LENGTHS, outputs=3)
    texts = Attributed(model, split, readout, lambda line: None)
    found, deleted = replaced(texts, OCCURRENCES, *SETTINGS), located(texts, *SETTINGS)
    rows = len(deleted["id"])
    assert found["by"] == ["unknown"] * rows + ["likely"] * rows
    assert (found["id"], found["ranking"]) == (deleted["id"] * 2, deleted["ranking"] * 2)
    model.eval()
    likely = module.likely(texts, OCCURRENCES, Erasure().seed)
    for by, name, ranking, falls in zip(*(found[key] for key in ("by", "id", "ranking", "falls")), strict=True):
        if ranking != "attention":
            continue
        member = int(name.removeprefix("text-"))
        own = torch.tensor([TEXTS[member][1:-1]])
        others = {"unknown": torch.ones_like(own), "likely": likely(np.array([member]), own)}[by][0].tolist()
        assert all(theirs != ours for theirs, ours in zip(others, TEXTS[member][1:-1], strict=True))
        order, words, chances = np.argsort(-readout.attention[member], kind="stable"), LENGTHS[member], []
        for count in (0, 1, *(ceil(words * share / 100) for share in (5, 10, 20, 50))):
            written = list(TEXTS[member])
            for place in order[:count].tolist():
                written[1 + place] = others[place]
            split = split_of([written], **{"queries": [QUERIES[member]]} if pair else {})
            logits = model(split.batch(np.array([0]))).logits
            chances.append(probabilities(logits.detach())[0].numpy())
        chosen = chances[0].argmax()
        np.testing.assert_allclose(falls, [chances[0][chosen] - p[chosen] for p in chances[1:]], rtol=1e-7, atol=1e-12)


def test_all_pieces_of_a_word_are_masked_and_those_of_a_query_are_not() -> None:
    # a mark, words 0 (two pieces), 1 and 2, a mark, the query's word, which is number 3, and padding
    words = torch.tensor([[SPECIAL, 0, 0, 1, 2, SPECIAL, 3, SPECIAL]])
    ids = torch.tensor([[101, 11, 12, 13, 14, 102, 15, 0]])
    one = torch.ones(1, dtype=torch.long)
    pieces = PieceBatch(ids, torch.zeros_like(ids), words, 7 * one, 3 * one, one, 0 * one)
    batch = Batch(torch.zeros(1, 5, dtype=torch.long), 3 * one, 0 * one, pieces=pieces)
    found = with_others(batch, np.array([0]), torch.tensor([[True, False, True]]), always(103))
    assert found.pieces is not None
    assert found.pieces.ids.tolist() == [[101, 103, 103, 13, 103, 102, 15, 0]]


def test_a_transformer_has_its_tokenizers_unknown_and_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    class Classifier:
        folder = "somewhere"

    monkeypatch.setattr(module, "TransformerClassifier", Classifier)
    texts = SimpleNamespace(model=Classifier())
    for unknown, mask, names in ((100, 103, ["unknown", "mask"]), (None, 4, ["mask"])):
        tokenizer = SimpleNamespace(unk_token_id=unknown, mask_token_id=mask)
        monkeypatch.setattr(module, "open_tokenizer", lambda folder, split, own=tokenizer: own)
        found = module.stand_ins(texts, np.empty(0, np.int64), 0)  # type: ignore[arg-type]
        assert list(found) == names
        assert found["mask"](np.array([0]), torch.tensor([[7, 8]])).tolist() == [[mask, mask]]


def test_where_nothing_can_stand_in_there_are_no_rows(random_readout: MakeReadout) -> None:
    model, split = model_of("affine"), texts_of()
    texts = Attributed(model, split, random_readout(LENGTHS, outputs=3), lambda line: None)
    assert [len(column) for column in replaced(texts, np.empty(0, np.int64), *SETTINGS).values()] == [0] * 5


def test_words_of_a_classifier_are_masked(tmp_path: Path) -> None:
    """The first word of attention alone, in the place of each of its pieces, and the library reads the rest."""
    classifier = SequenceClassifier(classifiers_on_disk.save(tmp_path, names=("a", "b", "c")))
    pieces = cut(classifier.tokenizer, NAMES, CLASSIFIED, None, classifier.most)
    readout = take_classifier(classifier, pieces, NAMES, np.zeros(len(NAMES), np.int64), (0, 1, 2))
    rows = np.zeros(int((pieces.read + 2).sum()), np.int32)
    split = Split(rows, pieces.read, readout.labels, CPU, pieces=PieceTable(pieces, CPU))
    found = replaced(Attributed(classifier, split, readout, lambda line: None), np.empty(0, np.int64), *SETTINGS)
    assert set(found["by"]) == {"unknown", "mask"}
    at = next(
        place
        for place, keys in enumerate(zip(found["by"], found["ranking"], strict=True))
        if keys == ("mask", "attention")
    )
    text = NAMES.index(found["id"][at])
    first = int(readout.attention[text][: pieces.read[text]].argmax())
    whole = PieceTable(pieces, CPU).batch(torch.tensor([text])).ids
    classifier.eval()
    start, mask = pieces.starts[text], classifier.tokenizer.mask_token_id
    of_word = torch.from_numpy(pieces.words[start : start + pieces.counts[text]] == first)
    masked = whole.masked_fill(of_word[None], mask)
    before, after = (classifier.model(input_ids=ids).logits.detach().softmax(-1)[0] for ids in (whole, masked))
    assert found["falls"][at][0] == pytest.approx(float((before - after)[before.argmax()]), abs=1e-6)
