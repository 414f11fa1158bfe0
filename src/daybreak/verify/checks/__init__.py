"""One check a file; each reads the study and says of every claim it knows whether it holds."""
