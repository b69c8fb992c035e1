"""What words of one paste make together: `lora` and `4bit` are QLoRA, nodes × cards are cards.

A file holds what its run does not use: the rank of adapters beside a full run, two methods of
which one is the other's kind. Here it is settled as the program would.
"""

import re
from collections.abc import Callable

from bot.reading.pasting.meaning import OWN, Meant
from bot.reading.pasting.tables import Program

METHODS = (  # the later is the earlier's kind
    *("full", "lora", "qlora", "rslora", "dora", "adalora", "ia3", "loha", "lokr", "oft", "boft", "vera"),
    *("prompt tuning", "prefix tuning", "p tuning", "llama adapter", "freeze", "galore", "apollo", "badam", "lisa"),
)
OF_ADAPTERS = re.compile(r"^(?:r=|alpha |dropout |targets |modules to save |virtual tokens )")
GENERATING = ("grpo", "ppo")
ALONE = ("galore", "apollo", "badam", "lisa")  # which train 16-bit weights as they are
HEADS = ("liger", "cut cross entropy", "fused ce", "chunked loss")
SHARDING = ("fsdp", "zero1", "zero2", "zero3")
PACKED = re.compile(r"^(?:4bit|nf4|fp4|qlora)(?: dq)?$")
_PRIVATE = re.compile(r"^#(?P<name>\w+)(?: (?P<rest>.*))?$")
_MLP = "gate_proj up_proj down_proj"
_LITGPT = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "o": "o_proj", "mlp": _MLP}


class Settler:
    """The words of one paste, put together; `remarks` are sentences' names with their words."""

    def __init__(self, meant: Meant, program: Program) -> None:
        self._program = program
        self._words = list(dict.fromkeys(meant.words.values()))
        self._has_model = bool(meant.words.get("@model"))
        self.moving = list(meant.moving)
        self.remarks: list[tuple[str, str]] = []

    def settled(self) -> list[str]:
        """The words of a line, without contradictions that no run has."""
        private = self._taken_private()
        self._objectives(private)
        self._losses()
        self._method()
        self._formats(private)
        self._cards(private)
        self._sharing()
        self._parts(private)
        if any(word.startswith("bs ") for word in self._words):
            self._drop(lambda word: word.startswith("total batch "))
        return self._words

    def _taken_private(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for word in [one for one in self._words if one.startswith(OWN)]:
            self._words.remove(word)
            match = _PRIVATE.match(word)
            if match is not None:
                kept = f"{found[match['name']]} " if match["name"] in ("litgpt", "titan") and match["name"] in found else ""
                found[match["name"]] = kept + (match["rest"] or "")
        return found

    def _drop(self, which: Callable[[str], bool]) -> None:
        self._words[:] = [word for word in self._words if not which(word)]

    def _objectives(self, private: dict[str, str]) -> None:
        """Losses on pairs that have no estimate of their own are DPO's, and said to be."""
        for name in ("as_dpo", "no_reference"):
            if name in private:
                self._drop(lambda word: word == "dpo")
                self._words.append("dpo")
                if name == "no_reference":
                    self._words.append("precomputed reference")
                self.remarks.append((name, private[name]))
        generating = next((word for word in GENERATING if word in self._words), None)
        if generating:
            shapes = {"prompt": "prompt", "new": "new tokens", "generations": "generations", "share": "util"}
            for name, words in shapes.items():
                if name in private:
                    self._words.append(f"{words} {private[name].split()[-1]}")
            if "engine" in private and "false" not in private["engine"].casefold():
                self._words.append("vllm")

    def _losses(self) -> None:
        """A head inside the loss is of one's own labels: where pairs or rewards are scored, none."""
        if any(word in self._words for word in ("dpo", "grpo", "ppo", "reward model")):
            heads = [word for word in self._words if word in HEADS]
            self._drop(lambda word: word in heads)
            self.moving += heads

    def _method(self) -> None:
        named = [word for word in METHODS if word in self._words]
        if any(PACKED.match(word) for word in self._words) and "full" in named and len(named) == 1:
            named = []
        self._drop(lambda word: word in METHODS and word in named[:-1])
        if named == ["full"]:
            self._drop(lambda word: OF_ADAPTERS.match(word) is not None)
        packed = any(PACKED.match(word) or word == "8bit" for word in self._words)
        whole = self._program.usual == "full"
        if self._program.usual and not named and self._has_model and not (whole and packed):
            self._words.insert(0, self._program.usual)
            if whole:
                self._drop(lambda word: OF_ADAPTERS.match(word) is not None)

    def _formats(self, private: dict[str, str]) -> None:
        double = "double" in private and private["double"].casefold() not in ("false", "no", "0")
        for at, word in enumerate(self._words):
            if double and word in ("nf4", "fp4"):
                self._words[at] = f"{word} dq"
        if "lora" in self._words and any(PACKED.match(word) for word in self._words):
            self._words[self._words.index("lora")] = "qlora"
        packed = [word for word in self._words if PACKED.match(word) and word not in ("qlora", "4bit")]
        if "8bit" in self._words:
            self._drop(lambda word: word in packed)
        elif packed or "qlora" in self._words:
            self._drop(lambda word: word == "4bit")
        if "targets all-linear" in self._words:
            self._drop(lambda word: word.startswith("targets ") and word != "targets all-linear")
        held = private.get("held", "")
        if held:
            self._words.append(held)
        trained = "train" in self._program.says
        narrow = [word for word in self._words if word in ("nf4 dq", "nf4", "fp4 dq", "fp4", "4bit", "qlora", "8bit")]
        if trained and narrow:
            self._drop(lambda word: word in ("bf16", "fp16", "fp32"))
        wide = [word for word in self._words if word in ("bf16", "fp16", "fp32", "pure bf16")]
        for word in wide[:-1]:
            self._words.remove(word)
        whole = "full" in self._words and not any(word in self._words for word in ALONE)
        sharded = any(word.startswith(("fsdp", "zero")) for word in self._words)
        direct = held == "bf16" or self._program.name == "axolotl"
        if whole and direct and not sharded and "bf16" in self._words:
            self._words[self._words.index("bf16")] = "pure bf16"
        if any(word in self._words for word in ALONE) and "pure bf16" in self._words:
            self._words[self._words.index("pure bf16")] = "bf16"

    def _cards(self, private: dict[str, str]) -> None:
        """Cards: those of all processes, or of a node times nodes, or those that are seen."""
        number = {name: _whole(private.get(name, "")) for name in ("processes", "per_node", "nodes", "visible", "shards")}
        nodes = number["nodes"] or 1
        cards = number["processes"] or (number["per_node"] or 0) * nodes
        if not cards and "train" in self._program.says:
            cards = number["visible"] or number["shards"] or 0
        spread = any(word.startswith(("tp ", "pp ", "cp ")) for word in self._words)
        if cards > 1 and not ("train" not in self._program.says and spread):
            self._words.append(f"{cards} gpus")
        if number["shards"] and number["shards"] > 1 and not spread:
            self._words.append("fsdp2")

    def _sharing(self) -> None:
        if "fsdp2" in self._words:
            self._drop(lambda word: word == "fsdp")
        sharing = [word for word in self._words if word in SHARDING or word == "fsdp2"]
        if sharing:
            self._drop(lambda word: word == "ddp")
        flat = [part for word in self._words for part in word.split(" , ")]
        self._words[:] = list(dict.fromkeys(flat))
        if {"offload optimizer", "offload params"} <= set(self._words):
            self._drop(lambda word: word in ("offload optimizer", "offload params"))
            self._words.append("offload both")
        if "offload both" in self._words:
            self._drop(lambda word: word in ("offload optimizer", "offload params"))
        attention = [word for word in self._words if word in ("flash", "sdpa", "eager", "flex")]
        for word in attention[1:]:
            self._words.remove(word)
        recomputed = [w for w in self._words if w in ("offloaded checkpointing", "unsloth checkpointing", "selective checkpointing")]
        if recomputed:
            self._drop(lambda word: word == "grad ckpt")

    def _parts(self, private: dict[str, str]) -> None:
        """Blocks that are trained, modules in a program's own words, a model in two parts."""
        if "freeze" in self._words:
            self._words.append(f"active blocks {_whole(private.get('blocks', '')) or 2}")
        if "lora" in private and not any(word.startswith("r=") for word in self._words):
            methods = [word for word in self._words if word in METHODS[1:]]
            self._words += [] if methods else ["lora"]
            self._words.append(private["lora"])
        modules = private.get("modules", "")
        if modules and not any(word.startswith("targets ") for word in self._words):
            names = re.findall(r"[qkv]_proj|o(?:utput)?_proj", modules)
            mlp = private.get("mlp", "").casefold() == "true"
            self._words.append(f"targets {' '.join(names).replace('output_proj', 'o_proj')}{' ' + _MLP if mlp else ''}")
        if "litgpt" in private:
            said = re.findall(r"(\w+) (\w+)", private["litgpt"])
            on = [_LITGPT[name] for name, value in said if value.casefold() == "true" and name in _LITGPT]
            self._words += [f"targets {' '.join(on)}"] if on else []
        if "titan" in private:
            self._words.insert(0, private["titan"].replace("llama3 ", "llama 3.1 "))
        for name in ("serves",):
            if name in private and private[name]:
                self._words = [word for word in self._words if word != "train"]
                self._words += ["infer", private[name].split()[0]]


def _whole(text: str) -> int | None:
    last = text.split()[-1] if text.split() else ""
    return int(last) if last.isascii() and last.isdigit() and len(last) <= 5 else None
