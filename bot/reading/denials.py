"""What a line says is not so: `no lora`, `never use flash attention`, `not on a 3090`.

A setting with an opposite is switched off; anything else that was denied is left out and
said, as what is meant instead is not guessed.
"""

from collections.abc import Callable

from bot.reading.facts import Fact, Said, Unread
from bot.reading.line import Line
from bot.reading.vocabulary import Kind, Match

# Words over which a denial reaches what it is about; a verb of having or using does so for sure.
VERBS = ("use", "using", "used", "uses", "have", "having", "has", "had", "want", "wanting", "wants",
         "wanna", "need", "needing", "needs", "do", "doing", "enable", "enabling", "enabled",
         "apply", "applying", "add", "adding", "with", "require", "try", "trying", "go",
         "going", "afford", "support", "supports", "allow", "turn", "set")  # fmt: skip
OTHERS = ("a", "an", "the", "any", "my", "our", "i", "we", "you", "it", "to", "be", "been",
          "being", "on", "in", "for", "of", "at", "really", "even", "ever", "also", "currently",
          "actually", "all", "that", "this")  # fmt: skip
LISTING = ("or", "nor")  # behind what was denied: it goes on
NEGATING = ("no", "not", "without", "w", "non", "never")  # that a whole phrase may begin with
SUBJECTS = ("gpus", "world", "size", "model", "half_name", "device", "length")
SILENT = (
    "ignored",
    "unused",
    "remarked",
    "task_hint",
    "method_hint",
    "both_ways",
    "turned",
    "task",
)
NUMBERS = {"lora_dropout": 0, "accumulation": 1}  # what a number is where it is switched off
SAME = (
    ("optimizer", "optimizer_kind", "optimizer_id"),
    ("precision", "weights"),
    ("gpus", "world"),
    ("model", "size", "half_name"),
)


INSTEAD = {  # what is taken where nothing is said, and what to say where it was denied
    ("method", "full"): ("lora", "qlora"),
    ("optimizer", "adamw"): ("sgd", "adafactor", "lion"),
    ("optimizer_kind", "fused"): ("adamw_foreach", "adamw_loop"),
    ("precision", "bf16"): ("fp32", "fp16"),
    ("weights", "gguf:Q4_K_M"): ("gguf:Q5_K_M", "gguf:Q8_0"),
    ("strategy", "ddp"): ("fsdp", "zero3"),
    ("loss", "stock"): ("liger", "cce"),
    ("objective", "sft"): ("pretrain", "dpo"),
    ("engine", "vllm"): ("sglang", "llama.cpp"),
    ("engine", "llama.cpp"): ("ollama", "vllm"),
}


def is_denied(line: Line, at: int) -> bool:
    """Whether a denial reaches the atom at `at`."""
    return line.no_end == at and not line.atoms[at].apart


def begin(line: Line, at: int, length: int, *, verb: bool) -> None:
    """A word of denial at `at`; a `verb` such as `isn't` may ask of what stands behind it."""
    line.no_start, line.no_end, line.no_verb = at, at + length, verb
    line.said.fillers += verb


def reach(line: Line, at: int, match: Match | None) -> int:
    """Atoms at `at` over which a denial reaches on; 0 for what it is about."""
    if match is not None and match.length > 1:
        return 0
    word = line.atoms[at].text
    if word not in VERBS and word not in OTHERS:
        return 0
    line.no_end = at + 1
    line.no_verb = line.no_verb and word not in VERBS
    line.said.fillers += 1
    return 1


def go_on(line: Line, at: int) -> None:
    """`without lora or qlora`: what stands behind the `or` is denied as well; `and` is doubted."""
    if line.denied_end != at or line.atoms[at].apart:
        return
    if line.atoms[at].text in LISTING:
        line.no_start, line.no_end, line.no_verb = at, at + 1, False
    elif line.atoms[at].text == "and":
        line.no_start, line.no_end, line.no_verb = at, at + 1, True


def take_denied(line: Line, at: int, step: Callable[[int], int]) -> int:
    """What the walk reads at `at`, turned round: nothing of it is left in the facts."""
    said, before, match = line.said, list(line.said.facts), line.match(at)
    known = set(map(id, before))
    unread, start, verb = len(said.unread), line.no_start, line.no_verb
    length = max(1, step(at))
    end = at + length
    new = [fact for fact in said.facts if id(fact) not in known and fact.field not in SILENT]
    if len(said.unread) > unread and said.unread[-1].key is not None:
        said.unread.pop()  # `no dropout` needs no number
    if line.denied_end == end or len(said.unread) > unread:
        return length
    if new and verb:
        _doubt(line, at, length, new)
    elif new:
        said.facts[:] = [fact for fact in said.facts if not any(fact is one for one in new)]
        said.unread.append(denial(line.text(start, end - start), new[0].field, new[0].value))
        line.denied_end = end
    elif match is not None and not verb:
        _deny_key(line, start, end, match)
    return length


def is_otherwise(unread: Unread, said: Said) -> bool:
    """`not lora but qlora`: whether another word says what was denied of this."""
    if unread.denied is None:
        return False
    group = next((g for g in SAME if unread.denied in g), (unread.denied,))
    return any(fact.field in group for fact in said.facts)


def _doubt(line: Line, at: int, length: int, new: list[Fact]) -> None:
    """`isn't lora enough`, `no flash and packing`: a question, or a denial? It is asked back."""
    if all(fact.field in SUBJECTS or fact.field not in ASKED for fact in new):
        return
    facts = line.said.facts
    facts[:] = [fact for fact in facts if not any(fact is one for one in new)]
    line.add("both_ways", line.text(at, length), at, length)


def denial(text: str, name: str, value: object) -> Unread:
    """The words `text`, which say that `name` is not `value`."""
    return Unread(text, denied=name, instead=INSTEAD.get((name, str(value)), ()))


def _deny_key(line: Line, start: int, end: int, match: Match) -> None:
    """`no kv cache`, `no dropout`: a key or an announcing word that was denied."""
    key, slot = match.of(Kind.KEY), match.of(Kind.SLOT)
    name = key.field if key is not None else None if slot is None else slot.field
    if name is None or name in SILENT:
        return
    if name == "world":
        line.add("processor", "cpu", start, end - start)
    elif name in NUMBERS:
        line.add(name, NUMBERS[name], start, end - start)
        line.denied_end = end
    else:
        line.said.unread.append(Unread(line.text(start, end - start), denied=name))
        line.denied_end = end


ASKED = ("method", "checkpointing", "attention", "loss", "strategy", "offload", "flag",
         "objective", "optimizer", "optimizer_kind")  # fmt: skip
