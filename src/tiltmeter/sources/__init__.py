"""Sources: what makes items from a spec, from a file of the user's, or from a public data set; see `interface`."""
