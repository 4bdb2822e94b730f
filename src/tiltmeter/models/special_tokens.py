"""Which token stands before a text, so that its first word has a probability; and which ones end what a model writes.

A wrong one ruins the numbers: chat models often declare their turn opener (`<|im_start|>`) as the start token, but
were trained on documents that begin after a separator (`<|endoftext|>`).
"""

from __future__ import annotations

import re
from typing import Any

_TURN_MARKERS = {
    "<|im_start|>",
    "<|im_end|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<|start|>",
    "<|end|>",
    "<|user|>",
    "<|assistant|>",
    "<|system|>",
}

_SEPARATORS = ("<|endoftext|>", "<|end_of_text|>", "<|begin_of_text|>", "</s>")


def start_tokens(tokenizer: Any, config: Any, prefix: tuple[int, ...]) -> tuple[int, ...]:
    """The ids to put before a text; none where the model has nothing of the kind.

    In this order: what the tokenizer itself puts there (`prefix`), its start token, the configuration's, and the
    end token, which separates documents in the training text of most causal models. A marker of chat turns is passed
    over in favour of a document separator in the vocabulary.
    """
    if prefix and not any(_is_turn_marker(tokenizer, token) for token in prefix):
        return prefix
    declared = [tokenizer.bos_token_id, _first(getattr(config, "bos_token_id", None))]
    ending = [tokenizer.eos_token_id, _first(getattr(config, "eos_token_id", None))]
    for token in (*declared, *_separators(tokenizer, [*declared, *ending]), *ending):
        if token is not None and not _is_turn_marker(tokenizer, token):
            return (token,)
    return ()


def end_tokens(tokenizer: Any, model: Any, start: tuple[int, ...]) -> frozenset[int]:
    """The ids that end what a model writes: its end tokens wherever they are declared, the separator that it is
    started with, and markers of chat turns, after which someone else would speak.
    """
    generation = getattr(model, "generation_config", None)
    ends = {tokenizer.eos_token_id, *start[-1:]}
    for declared in (getattr(model.config, "eos_token_id", None), getattr(generation, "eos_token_id", None)):
        ends |= set(declared) if isinstance(declared, list | tuple) else {declared}
    vocabulary = tokenizer.get_vocab()
    ends |= {vocabulary[name] for name in _TURN_MARKERS if name in vocabulary}
    return frozenset(token for token in ends if isinstance(token, int))


def _separators(tokenizer: Any, declared: list[int | None]) -> list[int]:
    """The document separators of the vocabulary, looked for only where a declared token marks chat turns."""
    if not any(token is not None and _is_turn_marker(tokenizer, token) for token in declared):
        return []
    vocabulary = tokenizer.get_vocab()
    return [vocabulary[name] for name in _SEPARATORS if name in vocabulary]


def _is_turn_marker(tokenizer: Any, token: int) -> bool:
    name = tokenizer.convert_ids_to_tokens(token)
    if name is None:
        # An id beyond the vocabulary cannot start anything.
        return True
    if name in _TURN_MARKERS:
        return True
    template = getattr(tokenizer, "chat_template", None)
    if not isinstance(template, str):
        return False
    # The template writes the token directly before the role: `'<|turn|>' + message['role']` or `<|turn|>user`.
    role = (
        r"""(?:['"]\s*[+~]\s*\w+(?:\[['"]role|\.role)|\{\{-?\s*\w+(?:\[['"]role|\.role)|(?:system|user|assistant)\b)"""
    )
    return re.search(re.escape(name) + role, template) is not None


def _first(token: Any) -> int | None:
    """Configurations give one id, a list of them, or none."""
    if isinstance(token, list | tuple):
        token = token[0] if token else None
    return token if isinstance(token, int) and token >= 0 else None
