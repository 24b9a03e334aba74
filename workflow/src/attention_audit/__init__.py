"""Attention audit: may I read this attention map as an explanation?"""

__version__ = "0.1.0"
