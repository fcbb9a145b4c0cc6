"""Pictures of bodies: materials, lighting, decals, overlays, and the passes that draw them."""
