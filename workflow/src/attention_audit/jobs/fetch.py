"""The settings of a job that fetches a file."""

from attention_audit.corpus.source import RemoteFile
from attention_audit.section import Section


class FetchJob(Section):
    """One file to fetch: its entry in the configuration, and the homepage of those who have it ("" for none)."""

    folder: str
    remote: RemoteFile
    homepage: str
