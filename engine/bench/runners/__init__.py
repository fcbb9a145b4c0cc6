"""Engines as the bench runs them: one adapter each, the same rigs for all."""
