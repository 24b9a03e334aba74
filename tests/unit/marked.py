"""Which words of a text a source marks, for tests of sources that split their texts themselves."""

from attention_audit.corpus.rationales import align


def marked(text):
    """The positions that most annotators mark; None where there are none."""
    if text.annotations is None:
        return None
    return align(text.annotations, [(at, at + 1) for at in range(len(text.text))]).majority


def said(text):
    """The stretches that each annotator marked, as characters of a running text."""
    marks = text.annotations.marks
    return {name: [str(text.text)[start:end] for start, end in spans] for name, spans in marks.items()}
