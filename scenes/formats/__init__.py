"""Scenes in the formats of other programs: one module a format, `description` between them and teeter."""
