"""The workbench: pages on loopback for people who would rather look than read.

Everything needs the secret of the printed address, or its cookie; a change also needs the token of its page.
Text from a model, a data set or a spec is data on every page: templates escape it, charts get it as JSON.
"""
