"""Kinds of fields, and how a message names what is legal in them."""

from typing import Annotated

from pydantic import Field

Positive = Annotated[int, Field(ge=1, le=2**62)]
"""A whole number from 1 to 2**62."""
Seed = Annotated[int, Field(ge=0, lt=2**63)]
"""A whole number from 0 to 2**63 - 1."""
Share = Annotated[float, Field(ge=0.0, le=1.0)]
"""A number from 0 to 1."""
Percent = Annotated[float, Field(ge=0.0, le=100.0)]
"""A number from 0 to 100, in percent."""
PATTERNS = {
    "name": r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$",
    "sha256": "^[0-9a-f]{64}$",
    "text": r"^[^\p{Cc}]*$",  # no terminal takes it for a command
}
Name = Annotated[str, Field(pattern=PATTERNS["name"], max_length=100)]
"""At most 100 letters, digits, and - _ + . after the first."""
Sha256 = Annotated[str, Field(pattern=PATTERNS["sha256"])]
Text = Annotated[str, Field(pattern=PATTERNS["text"], max_length=1_000)]

LEGAL = {
    "bool_type": "true or false",
    "dataclass_exact_type": "a table",
    "dataclass_type": "a table",
    "dict_type": "a table",
    "finite_number": "a finite number",
    "float_type": "a number",
    "greater_than": "greater than {gt}",
    "greater_than_equal": "at least {ge}",
    "int_parsing_size": "a whole number of at most 18 digits",
    "int_type": "a whole number",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "list_type": "a list",
    "literal_error": "one of {expected}",
    "string_too_long": "of at most {max_length} characters",
    "string_too_short": "of at least {min_length} character",
    "string_type": "a text in quotes",
    "string_unicode": "text in UTF-8",
    "too_long": "a list of at most {max_length}",
    "too_short": "a list of at least {min_length}",
    "tuple_type": "a list",
}

LEGAL_TEXT = {
    PATTERNS["name"]: "letters, digits, and - _ + . after the first",
    PATTERNS["sha256"]: "64 hexadecimal digits",
    PATTERNS["text"]: "one line without control characters",
}
