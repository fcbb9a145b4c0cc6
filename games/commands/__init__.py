"""The commands of `teeter`, one module each; `games.cli` puts them together."""
