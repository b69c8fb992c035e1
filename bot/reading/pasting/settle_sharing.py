"""What words of a paste say of cards and blocks: how many, sharded, offloaded, recomputed."""

from math import prod

from bot.compiled import compiled
from bot.reading.pasting.settle_method import METHODS
from bot.reading.pasting.tables import Program
from bot.reading.pasting.words import Words

SHARDING = ("fsdp", "fsdp2", "zero1", "zero2", "zero3")
ATTENTION = ("flash", "sdpa", "eager", "flex")
OFFLOADS = ("offload optimizer", "offload params")
RECOMPUTING = ("offloaded checkpointing", "unsloth checkpointing", "selective checkpointing")
FROZEN = 2  # blocks that are trained, where their number is not said
MLP = "gate_proj up_proj down_proj"
OF_LITGPT = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "o": "o_proj", "mlp": MLP}
OF_SERVERS = {"window": "ctx {}", "share": "util {}"}
_PARTS = compiled(r"^(?:tp|pp|cp|replicas) (?P<count>[1-9]\d{0,4})$")
_SPREAD = compiled(r"^(?:tp|pp|cp) (?!1$)")
_MODULE = compiled(r"[qkv]_proj|o(?:utput)?_proj")
_SWITCHED = compiled(r"(\w+) (\w+)")


def _parts(words: Words) -> list[int]:
    """In how many parts the shards' cards are divided further, and copied."""
    found = [_PARTS.match(word) for word in words.whole()]
    return [int(one["count"]) for one in found if one is not None]


def settle_cards(words: Words, program: Program) -> None:
    """Cards: those of all processes, or of a node times nodes, or those that are seen."""
    if "train" not in program.says:
        return
    on_nodes = words.count("per_node") * max(1, words.count("nodes"))
    cards = words.count("processes") or on_nodes or words.count("visible")
    cards = cards or words.count("shards") * prod(_parts(words))
    words.add(f"{cards} gpus" if cards > 1 else "")
    spread = any(_SPREAD.match(word) for word in words.whole())
    sharded = words.count("shards") > 1 or ("sharded" in words.own and cards != 1)
    words.add("fsdp2" if sharded and (not spread or "sharded" in words.own) else "")


def settle_sharing(words: Words) -> None:
    """One way to share, all that is offloaded, one kernel, one way to recompute."""
    if "fsdp2" in words:
        words.drop_all(["fsdp"])
    if words.all_of(SHARDING):
        words.drop_all(["ddp"])
    if words.all_of(OFFLOADS) == list(OFFLOADS):
        words.add("offload both")
    if "offload both" in words:
        words.drop_all(OFFLOADS)
    words.drop_all(words.all_of(ATTENTION)[1:])
    if words.all_of(RECOMPUTING):
        words.drop_all(["grad ckpt"])
    if words.any_begins("bs "):
        words.drop(lambda word: word.startswith("total batch "))


def settle_parts(words: Words) -> None:
    """Blocks that are trained, modules in a program's own words, a model in two parts."""
    if "freeze" in words:
        words.add(f"active blocks {words.count('blocks') or FROZEN}")
    modules = _MODULE.findall(words.own.get("modules", ""))
    if modules and not words.any_begins("targets "):
        mlp = [MLP] if words.own.get("mlp", "").casefold() == "true" else []
        words.add(" ".join(["targets", *modules, *mlp]).replace("output_proj", "o_proj"))
    if "litgpt" in words.own:
        said = _SWITCHED.findall(words.own["litgpt"])
        on = [OF_LITGPT[n] for n, value in said if value.casefold() == "true" and n in OF_LITGPT]
        words.add(f"targets {' '.join(on)}" if on else "")
    words.add(words.own.get("titan", "").replace("llama3 ", "llama 3.1 "))
    served = words.own.get("serves", "").split()[:1]
    if served or "chat" in words.own:  # what trains also serves
        words.drop_all(["train", *METHODS])
        words.add("infer", *served)
        for name, shape in OF_SERVERS.items():
            if name in words.own:
                words.add(shape.format(words.own[name].split()[-1]))
