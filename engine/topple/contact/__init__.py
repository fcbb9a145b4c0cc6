"""Where bodies touch or overlap: geometry only, no forces."""
