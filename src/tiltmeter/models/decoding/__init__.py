"""How a model writes: numbers for the next token (`sampler`), a draw from them (`drawing`), one text after another
(`drafts`), several at once for the best of them (`beams`), and texts that must have certain words (`must_have`).
"""
