"""Neural networks: a description with arrays, played in compiled code, trained as a torch module."""
