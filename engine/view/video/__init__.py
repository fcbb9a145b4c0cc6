"""From one recorded game to a film: pace, cameras, captions, sound, pictures, a file."""
