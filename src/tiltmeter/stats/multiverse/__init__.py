"""One question under every combination of choices: the cells, the curve, the test over all of them, the verdict."""
