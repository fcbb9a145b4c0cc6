"""Would it topple: statics, dynamics and the verdict that joins them."""
