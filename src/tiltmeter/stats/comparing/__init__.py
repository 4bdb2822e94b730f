"""Two models or more on the same items."""
