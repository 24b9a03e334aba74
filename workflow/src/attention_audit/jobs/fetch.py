"""The settings of the jobs that fetch a file, unpack one that is an encoder, and build a
classifier.
"""

from attention_audit.corpus.encoders import BuiltClassifier, Encoder
from attention_audit.corpus.source import RemoteFile
from attention_audit.section import Section


class FetchJob(Section):
    """One file to fetch: its entry in the configuration, and the homepage of those who have it ("" for none)."""

    folder: str
    remote: RemoteFile
    homepage: str


class UnpackJob(Section):
    """An encoder to unpack, as the configuration declares it."""

    encoder: Encoder


class BuildJob(Section):
    """A classifier to build, as the configuration declares it."""

    classifier: BuiltClassifier
