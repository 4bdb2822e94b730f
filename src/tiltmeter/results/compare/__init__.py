"""Two models on the same items."""
