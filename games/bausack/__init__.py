"""Bausack: pieces are bid for or pushed on; everybody builds a tower."""
