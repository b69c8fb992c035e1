"""Cards of one node that are said beside a command for several: `--nnodes 2`, `each is 8xH100`.

A count of cards beside a paste is all of them, so the nodes of the command are put to it.
"""

import re

from bot.compiled import compiled

_NODES = compiled(r"(?:--nnodes|--nodes|--num_machines|nnodes)[= ]+(?P<n>[2-9]|[1-9]\d)(?![\d:.])")
_MACHINE = r"(?:nodes?|box(?:es)?|machines?|servers?|hosts?)"
_CARDS = (
    r"\d{1,2}\s?[x×]?\s?(?:nvidia\s+|rtx\s+)?"
    r"(?:[ahlvbtp]\d{1,4}[a-z]{0,2}|gh200|mi\d{3}\w?|[1-5]0[5-9]0)(?![\w-])"
)
_EACH_IS = compiled(
    rf"\b(?:each|every|one|per|both|all)\s+(?:of the\s+)?(?:{_MACHINE}\s+)?"
    rf"(?:is|are|has|have|with|got|=|:)\s*(?:an?\s+)?(?={_CARDS})",
    re.IGNORECASE,
)
_PER = compiled(
    rf"(?<![\w.])(?P<cards>{_CARDS}(?:[ -]\d{{2,3}}\s?gb?)?)\s*"
    rf"(?:(?:per|each|a|in each|on each|/)\s*{_MACHINE}|each)\b",
    re.IGNORECASE,
)
_BOTH = compiled(
    rf"\bboth\s+(?:{_MACHINE}\s+)(?:are|have|has|with|got|=|:)\s*(?={_CARDS})", re.IGNORECASE
)


def with_nodes(text: str) -> str:
    """`text` with the cards of each node counted by the nodes of its command."""
    words = text.casefold()
    nodes = _NODES.search(words) if "nodes" in words or "num_machines" in words else None
    if nodes is not None:
        text = _EACH_IS.sub(f"{nodes['n']} nodes of ", text)
        text = _PER.sub(rf"{nodes['n']} nodes of \g<cards>", text)
    return _BOTH.sub("2 nodes of ", text) if "both " in words else text
