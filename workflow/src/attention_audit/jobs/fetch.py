"""The settings of the jobs that fetch a file, and unpack one that is an encoder."""

from attention_audit.corpus.encoders import Encoder
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
