"""Models side by side."""
