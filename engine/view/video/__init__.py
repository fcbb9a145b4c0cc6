"""From one recorded game to a film: pace, cameras, captions, frames, a file."""
