"""Models behind an API of the OpenAI form: vLLM, llama.cpp, Ollama, `transformers serve`, and those for money."""

from tiltmeter.models.api.address import Address, api_name, parse
from tiltmeter.models.api.budget import BudgetSpent, Cost, Price, Spent, estimated_tokens, expected_cost
from tiltmeter.models.api.client import Hopeless
from tiltmeter.models.api.journal import Journal, MemoryJournal
from tiltmeter.models.api.loading import account_of, accounts, check, lasting_name, load, most_sent, price_of
from tiltmeter.models.api.model import ApiModel
from tiltmeter.models.api.settings import ApiSettings

__all__ = [
    "Address",
    "ApiModel",
    "ApiSettings",
    "BudgetSpent",
    "Cost",
    "Hopeless",
    "Journal",
    "MemoryJournal",
    "Price",
    "Spent",
    "account_of",
    "accounts",
    "api_name",
    "check",
    "estimated_tokens",
    "expected_cost",
    "lasting_name",
    "load",
    "most_sent",
    "parse",
    "price_of",
]
