"""The workbench: pages on loopback for people who would rather look than read.

Reading is open to whoever reaches the loopback address; a change needs the token of the page and comes from the page.
Text from a model, a data set or a spec is data on every page: templates escape it, charts get it as JSON.
"""
