"""What the ledger of a run holds, as rows of its tables."""
