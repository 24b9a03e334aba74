"""Archives in the layouts that authors publish, for tests of what reads them."""

import io
import tarfile
import zipfile

from pydantic import TypeAdapter

from attention_audit.corpus.sources import Corpus


def pack(path, files):
    """Write a zip or a tar.gz, by the path's ending; a file given as None is left out."""
    held = {name: content.encode() if isinstance(content, str) else content for name, content in files.items()}
    if path.suffix in (".zip", ".whl"):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in held.items():
                if content is not None:
                    archive.writestr(name, content)
        return path
    with tarfile.open(path, "w:gz") as tar:
        for name, content in held.items():
            if content is not None:
                member = tarfile.TarInfo(name)
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    return path


def make_entry(kind, **settings):
    """Make the entry of a data set in an archive."""
    return TypeAdapter(Corpus).validate_python({"kind": kind, "archive": {"file": "archive"}, **settings})


def read_archive(kind, path, **settings):
    """Read the texts of an archive; the data set is called as its kind."""
    return [*make_entry(kind, **settings).read(kind, {"archive": path})]
