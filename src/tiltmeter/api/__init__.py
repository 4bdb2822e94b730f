"""What Python users have in their hands: studies, runs, tables, plots. The command line calls the same functions."""
