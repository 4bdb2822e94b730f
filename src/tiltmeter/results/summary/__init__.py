"""What a run says, for its report."""
