"""docs/replication/ and docs/gallery.md: real runs that are kept in the repository, and the pages written of them.

Two steps. `keeping` takes from a folder of results what a page needs, once a run. `pages` and `gallery` write the pages
from these files alone, so that a test can write them again and compare.
"""
