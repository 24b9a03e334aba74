"""The files of the explorer's page: its markup, its style, and its modules of JavaScript."""
