"""What to change so that it stands: searched by statics, the smallest change first."""
