"""The force balance: whether contact forces can hold the pieces, how far from losing that, and by which mechanism."""
