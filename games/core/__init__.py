"""What the rules of all games share: actions, events, seats, options, random numbers, JSON. Pure: no engine."""
