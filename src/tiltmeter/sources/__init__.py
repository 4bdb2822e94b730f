"""Sources: probes from a spec, from a file of pairs, or from a public data set."""
