"""The same comparison for each sentence structure, and whether it holds over them."""
