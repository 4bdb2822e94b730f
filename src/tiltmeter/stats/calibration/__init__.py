"""What the estimators read where the truth is known."""
