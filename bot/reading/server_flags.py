"""Flags of servers that say something in words of their own: `-ot exps=CPU`, `--block-size 16`.

Each is put in the words that a line has for it, before the other flags are looked at.
"""

import re
from dataclasses import dataclass
from itertools import permutations

from bot.compiled import compiled
from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Said

TRAINING = compiled(
    r"(?<!\w)(?:train|training|fine-?tun\w*|sft|qlora|dpo|ppo|grpo)(?!\w)", re.IGNORECASE
)
_QUOTED = r"\"[^\"]*\"|'[^']*'"
_FLAGS = re.IGNORECASE
# A pattern may hold blanks where the marks of a markup stood: `.ffn_.*_exps.`.
_TENSORS = compiled(
    rf"(?<!\S)(?:-ot|--override[-_]tensor)[\s=]+(?P<value>{_QUOTED}|[^\s\"'-](?:(?!\s-)[^=\"']){{0,80}}=\S+)",
    _FLAGS,
)
_ANY_NUMBER = compiled(r"\[0-9\]|\\d|\bd\+")
_ALL_PARTS = {"".join(parts) for parts in permutations(("gate", "up", "down"))}
_ALL_EXPERTS = {f"{part}exps=cpu" for part in ("", "ffn", *(f"ffn{p}" for p in _ALL_PARTS))}
_BLOCK = compiled(r"(?<!\S)-{0,2}block[-_ ]size[\s=:]+\d+(?!\S)", _FLAGS)

_VALUE = rf"(?P<value>{_QUOTED}|\{{[^}}]{{0,400}}\}}|[^\s\"'-]\S*)"
_DRAFT = compiled(
    r"(?<!\S)(?:-md|-hfr?d|--(?:model-draft|hf-repo-draft|draft-model"
    r"|speculative[-_](?:draft[-_])?model(?:[-_]path)?))[\s=]+(?P<name>\S*[-/.]\S*)",
    _FLAGS,
)
_FORMAT = compiled(r"[-_.:](?P<format>(?:UD-)?I?Q\d\w*|BF16|F(?:P)?(?:16|32))$", _FLAGS)
_FILE_END = compiled(r"(?:-\d{5}-of-\d{5})?\.gguf$", _FLAGS)
_COPY = compiled(r"(?:\S*/)?(?P<name>[^\s/]+?)[-_.]GGUF$", _FLAGS)
_GUESSING = compiled(rf"(?<!\S)--speculative[-_]config[\s=]+{_VALUE}", _FLAGS)
_GUESSER = compiled(r"model[\\\"']*\s*:\s*[\\\"']*(?P<name>[\w./-]+)")
_WAY = compiled(r"method[\\\"']*\s*:\s*[\\\"']*(?!draft_model)\w")
_PROJECTOR = compiled(r"(?<!\S)--mmproj(?:-url)?[\s=]+[^\s-]\S*", _FLAGS)
_SEEN = compiled(r"(?<!\w)images?(?!\w)", _FLAGS)
_MOST_SEEN = compiled(rf"(?<!\S)--limit[-_]mm[-_]per[-_]prompt[\s=]+{_VALUE}", _FLAGS)
_IMAGES = compiled(r"image[\\\"']*\s*[=:]\s*(?P<count>[1-9]\d*)", _FLAGS)
_RANK = compiled(r"(?<!\S)--max[-_]lora[-_]rank[\s=]+(?P<rank>\d+)(?!\S)", _FLAGS)
_ADAPTERS = compiled(r"(?<!\w)(?:max[-_ ])?loras(?!\w)", _FLAGS)
_SEQUENCES = compiled(r"(?<!\S)--max[-_]batch[-_]size[\s=]+(?P<count>\d+)(?!\S)", _FLAGS)
_BACKEND = compiled(r"(?<!\S)--backend[\s=]+(?:pytorch|tensorrt|trt|_?autodeploy)(?!\S)", _FLAGS)
_WINDOW = compiled(r"(?<!\S)(?:-c|--ctx[-_]size)[\s=]+0(?!\S)", _FLAGS)
_FLASH = compiled(r"(?<!\S)(?:-fa|--flash[-_]attn)[\s=]+(?P<on>1|0|true|false)(?!\S)", _FLAGS)
_SLOTS = compiled(r"(?<!\S)--parallel[\s=]+(?P<count>\d{1,4})(?!\S)", _FLAGS)
_PREDICTED = compiled(
    r"(?<!\S)(?:-n|--(?:n[-_])?predict)[\s=]+(?P<count>-[12]|\d{1,7})(?!\S)", _FLAGS
)
_ANSWERED = compiled(r"(?<!\S)--max[-_]tokens[\s=]+(?P<count>\d{1,7})(?!\S)", _FLAGS)  # mlx_lm's
_ASKING = compiled(rf"(?<!\S)--prompt[\s=]+(?:{_QUOTED}|(?!\d+k?(?!\S))[^\s-]\S*)", _FLAGS)
_PUBLISHED = compiled(r"(?<![\w/.-])(?P<name>[\w.-]+/[\w.-]+)(?<!bnb)-FP4(?![\w-])", _FLAGS)


@dataclass(frozen=True, slots=True)
class Noted:
    """Flags that go: those `aside`, and those `moving` memory in a way that is not counted."""

    aside: list[str]
    moving: list[str]
    said: Said
    locale: Locale


def in_words(text: str, noted: Noted) -> str:
    """`text` with the flags that have words of a line in those."""
    if "-" not in text and "block" not in text.casefold():
        return text
    text = take_pages(take_tensors(text, noted.moving), noted.aside)
    text = _take_guessing(text, noted)
    text = _take_images(text, noted)
    text = _take_adapters(text)
    if re.search(r"trtllm|tensorrt", text, _FLAGS):
        text = _BACKEND.sub(" , ", text)
        text = _SEQUENCES.sub(r" , max num seqs \g<count> , ", text)
    if re.search(r"llama[-._]?(?:server|cli|run|bench|cpp)", text, _FLAGS):
        text = _WINDOW.sub(" , ctx max , ", text)
        text = _FLASH.sub(_flash, text)
        text = _SLOTS.sub(r" , np \g<count> , ", _PREDICTED.sub(_predicted, text))
    if "mlx" in text.casefold():
        text = _ASKING.sub(" , ", _ANSWERED.sub(r" , new tokens \g<count> , ", text))
    return _PUBLISHED.sub(r"\g<name>-NVFP4", text)  # as NVIDIA calls its own copies


def _flash(flag: re.Match[str]) -> str:
    return " , flash , " if flag["on"].casefold() in ("1", "true") else " , no flash attention , "


def _predicted(flag: re.Match[str]) -> str:
    """`-n 512`: so many at most; less than none is as many as there is room for."""
    return " , " if flag["count"].startswith("-") else f" , new tokens {flag['count']} , "


def _take_guessing(text: str, noted: Noted) -> str:
    """A draft by its name; other ways hold memory that is not counted, but for looking back."""

    def take(match: re.Match[str]) -> str:
        model = None if _WAY.search(match["value"]) else _GUESSER.search(match["value"])
        if model is not None:
            return _draft(model["name"])
        (noted.aside if "ngram" in match["value"] else noted.moving).append(match[0])
        return " , "

    text = _GUESSING.sub(take, text)
    return _DRAFT.sub(lambda match: _draft(match["name"]), text)


def _draft(name: str) -> str:
    """The words for a draft by its file or its repository, which may say the format."""
    name = _FILE_END.sub("", name)
    found = _FORMAT.search(name)
    if found is None:
        return f" , draft {name} , "
    name = name[: found.start()].rsplit("/", 1)[-1]
    copy = _COPY.fullmatch(name)
    return f" , draft {copy['name'] if copy else name} , draft weights {found['format']} , "


def _take_images(text: str, noted: Noted) -> str:
    """As many images as a prompt may have; a projector is there for one at least."""

    def take(match: re.Match[str]) -> str:
        found = _IMAGES.search(match["value"])
        if found is None:
            noted.aside.append(match[0])
        return " , " if found is None else f" , {found['count']} images , "

    text = _MOST_SEEN.sub(take, text)
    projector = _PROJECTOR.search(text)
    if projector is None or _SEEN.search(text):
        return text
    words = noted.locale.say("projector", words=echo(projector[0], 32))
    noted.said.remarks.append(words)
    return _PROJECTOR.sub(" , 1 images , ", text)


def _take_adapters(text: str) -> str:
    """The rank that adapters may have; without their number vLLM holds one."""
    count = "" if _ADAPTERS.search(text) else "loras 1 , "
    return _RANK.sub(rf" , {count}rank \g<rank> , ", text)


def take_tensors(text: str, moving: list[str]) -> str:
    """Experts that a pattern puts on the CPU are said; another pattern goes, and is noted."""

    def take(match: re.Match[str]) -> str:
        if _names_all_experts(match["value"]):
            return " , experts on cpu , "
        moving.append(match[0])
        return " , "

    return _TENSORS.sub(take, text)


def _names_all_experts(pattern: str) -> bool:
    """Whether it is the experts of every block, all three parts of them."""
    plain = re.sub(r"[^a-z0-9=,]", "", _ANY_NUMBER.sub("", pattern).casefold())
    return plain.removeprefix("blk") in _ALL_EXPERTS


def take_pages(text: str, aside: list[str]) -> str:
    """A block size in serving is that of the cache's pages; in training it is a length."""
    if TRAINING.search(text):
        return text

    def take(match: re.Match[str]) -> str:
        aside.append(match[0])
        return " , "

    return _BLOCK.sub(take, text)
