"""Pictures, windows, videos and sound; the only place that imports Panda3D."""
