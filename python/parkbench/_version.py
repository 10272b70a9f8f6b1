"""The version; pyproject.toml, CMake and the core take it from here."""

__version__ = "0.1.0"
