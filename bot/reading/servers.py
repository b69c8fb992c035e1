"""How a server is started, said of training: `util 0.9` there moves nothing that is estimated."""

from collections.abc import Callable
from typing import Any

from bot.locale import Locale
from bot.reading.clean import echo
from bot.reading.facts import Fact, Said
from bot.reading.tasks import CACHES, GENERATING
from estimator import Catalog

OF_SERVERS = ("utilization", "max_batched_tokens", "max_num_seqs", "max_model_len", "enforce_eager")


STANDING_IN = "vllm"  # the engine that stands in for servers with code of their own
LOCAL = "llama.cpp"  # and for files of its own kind
PACKED_LOCAL = "exllamav2"  # which the same programs load where weights are packed for it
APPLES = "mlx"  # and where they are packed for Macs
PER_CENT = 100
FORKS = {"ik_llama": "llama.cpp"}


def settle_version(fields: dict[str, Any], said: Said) -> None:
    """`ik_llama.cpp 2025-06`: a fork is a version of its engine, with a month of its own."""
    facts = said.all_of("engine_version")
    fork = next((fact for fact in facts if fact.value in FORKS), None)
    if fork is None:
        return
    fields.setdefault("engine", FORKS[str(fork.value)])
    months = [fact for fact in facts if fact is not fork]
    fields["engine_version"] = " ".join(str(fact.value) for fact in (fork, *months[:1]))


def bad_share(fields: dict[str, Any], said: Said, wrong: Callable[..., None]) -> None:
    """`util 90`: a share of the card is at most one, or said in per cent."""
    share = fields.get("utilization")
    if isinstance(share, (int, float)) and not 0 < share <= 1:
        fact = said.all_of("utilization")[0]
        key, meant = echo(fact.key) or "util", f"{share / 100:g}"
        names = (meant,) if 1 < share <= PER_CENT else ()
        fields.pop("utilization")
        wrong("bad_number", "bad_share", field="utilization", names=names, key=key,
              number=f"{share:g}")  # fmt: skip


def settle_servers(fields: dict[str, Any], said: Said, catalog: Catalog, locale: Locale) -> None:
    """In training, note what is said of a server as without effect; in serving, who stands in."""
    if fields.get("task") == "infer":
        if "utilization" in fields and not _has_own_engine(said):
            fields.setdefault("engine", STANDING_IN)  # whose setting it is
        _stand_in(fields, said, catalog, locale)
    if fields.get("task") != "train":
        return
    generating = fields.get("objective") in GENERATING
    if generating and "utilization" in fields:
        fields["engine_share"] = fields.pop("utilization")
        fields.setdefault("engine", STANDING_IN)
    for name in (*OF_SERVERS, *(CACHES if generating else ())):
        if fields.pop(name, None) is not None:
            own = [fact for fact in said.facts if _speaks_of(fact, name)]
            said.facts += [Fact("unused", fact.value, fact.text) for fact in own]


def _has_own_engine(said: Said) -> bool:
    """Whether a program is named, or files that others than vLLM run."""
    formats = [str(fact.value) for fact in said.all_of("weights")]
    packed = any(name.startswith(("gguf", "exl", "mlx")) for name in formats)
    gguf = any(fact.value == "gguf" for fact in said.all_of("precision"))
    return bool(said.all_of("server")) or packed or gguf


def _stand_in(fields: dict[str, Any], said: Said, catalog: Catalog, locale: Locale) -> None:
    """The engine of a program that has no estimate of its own: LM Studio runs llama.cpp."""
    named = said.all_of("server")
    if not named:
        return
    engine = str(named[0].value)
    gguf = any(str(fact.value).startswith("gguf:") for fact in said.all_of("weights")) or any(
        fact.value == "gguf" for fact in said.all_of("precision")
    )
    packed = any(str(fact.value).startswith(("gptq", "exl")) for fact in said.all_of("weights"))
    engine = PACKED_LOCAL if packed and engine == LOCAL else engine
    mlx = any(str(fact.value).startswith(APPLES) for fact in said.all_of("weights"))
    engine = APPLES if mlx and engine == LOCAL else engine
    own = engine != STANDING_IN
    taken = fields.setdefault("engine", LOCAL if gguf and not own else engine)
    key = "server_runs" if own and taken == engine else "other_server"
    name = catalog.engines.find(str(taken)).id
    said.remarks.append(locale.say(key, word=echo(named[0].text), engine=name))


def _speaks_of(fact: Fact, name: str) -> bool:
    return fact.field == name or (
        fact.field == "flag" and str(fact.value).removeprefix("no_") == name
    )
