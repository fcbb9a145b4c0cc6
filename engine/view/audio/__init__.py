"""What impacts sound like, live and in films."""
