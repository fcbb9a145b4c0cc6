"""One HTML file that replays a recording or explains a verdict, in any browser and without a network."""
