"""What runs between the watched repositories beyond their day: what they use at their heads, and the days before."""
