"""What happened, kept: journals, tracks and replay files."""
