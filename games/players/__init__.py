"""People, bots and scripts that choose actions."""
