"""Test sentences that a model writes: ordered, looked at, struck or mended, and tested."""
