"""Charts as Vega-Lite specifications: data in, specification out."""
