"""HTTP for those who ask the network: one exchange at a time, bounded in time and size, careful with secrets."""
