"""What pieces are: materials, piece catalogues and mesh builders."""
