"""What each view's figures are, from values per item to estimates."""
