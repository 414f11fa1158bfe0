"""What your own code uses of the watched repositories, read without running it."""
