"""Where in a program a traceback ends: what its innermost known line was about to make."""

import re
from enum import StrEnum

from bot.compiled import compiled


class Place(StrEnum):
    """What was being done when the memory ran out."""

    LOGITS = "logits"
    ATTENTION = "attention"
    OPTIMIZER = "optimizer"
    BACKWARD = "backward"
    LOADING = "loading"
    GATHERING = "gathering"
    CACHE = "cache"


MOST_CHARACTERS = 20_000
# Code as tracebacks show it: calls, members and files, none of which stands in a question.
_PLACES = compiled(
    r"(?P<logits>logits\.float\(|logits\.to\(|cross_entropy\(|log_softmax\(|nll_loss|lm_head\("
    r"|ForCausalLMLoss|\.loss_function\()"
    r"|(?P<attention>softmax\(attn_|attn_weights = |eager_attention_forward\(|baddbmm\("
    r"|attention_scores = |matmul\(quer)"
    r"|(?P<optimizer>optimizer\.step\(|_multi_tensor_\w+\(|_init_group\(|exp_avg|optim/\w+\.py)"
    r"|(?P<backward>loss\.backward\(|\.run_backward\(|autograd/__init__\.py|accelerator\.backward\()"
    r"|(?P<loading>\.from_pretrained\(|load_state_dict\(|model\.to\(|\.cuda\(\)|load_model\("
    r"|set_module_tensor_to_device\(|load_weights\()"
    r"|(?P<gathering>_all_gather\w*\(|all_gather_into_tensor\(|\.unshard\(|summon_full_params\("
    r"|FULL_STATE_DICT|gather_16bit)"
    r"|(?P<cache>past_key_values?\.update\(|cache_utils\.py|torch\.cat\(\[self\.key)"
)

# What a traceback has and a log has not: its first line, its files, its marks; rich's files.
_TRACED = compiled(
    r"Traceback \(most|\bFile \\?[\"'][^\"'\n]{1,300}\", line \d|\.py\", line \d|\^{3}|~{3}"
    r"|\.py:\d{1,6} in \w|\.py:\d{1,6}: in \w"
)
_RAISED = compiled(r"\b\w{0,60}(?:Error|Exception)\b|\bout of memory\b", re.IGNORECASE)


def place_of(text: str) -> Place | None:
    """The last line of code that is known, which is the innermost; none where none is.

    Lines of a log name files and calls too: a place is one of a traceback, whole or its end.
    """
    end = text[-MOST_CHARACTERS:]
    found = [one for one in _PLACES.finditer(end) if one.lastgroup]
    if not found:
        return None
    last = found[-1]
    cut = not last[0].endswith(".py") and _RAISED.search(end, last.end()) is not None
    traced = cut or _TRACED.search(end) is not None
    return Place(str(last.lastgroup)) if traced else None
