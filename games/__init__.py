"""What counts: the rules of the games, sessions, players and the command line."""
