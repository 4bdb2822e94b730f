"""Readers against files that chance has spoilt: `make fuzz`, and a little of it in the tests."""
