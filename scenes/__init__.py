"""Where things start: the scene format, its loader, and named stability cases."""
