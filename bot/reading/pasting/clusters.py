"""Cards that a scheduler is asked for: SLURM, Kubernetes, SkyPilot, Modal.

`#SBATCH --nodes=2 --gres=gpu:a100:4` are eight cards, as are `accelerators: A100:8` and a pod's
`nvidia.com/gpu: 8` on nodes of one product.
"""

import re
from dataclasses import dataclass

from bot.compiled import compiled

MOST = 4096  # cards; no job has more
_BATCH = compiled(r"^[ \t]*#SBATCH[ \t]+(?P<options>[^\n]*)$", re.MULTILINE)
_SPACED = (  # options whose value may stand behind a blank
    "nodes|ntasks|ntasks-per-node|gres|gpus|gpus-per-node|gpus-per-task|cpus-per-task|partition"
    "|constraint|time|mem|account|qos|job-name|output|error|nodelist|container-image"
)
_LETTERS = "NnGCptcwJoeAqD"
_SRUN = compiled(
    r"(?<!\S)(?:srun|salloc|sbatch)(?P<options>(?:[ \t]+(?:--[a-z-]{2,40}=\S{1,200}"
    rf"|--(?:{_SPACED})[ \t]+[^\s-]\S{{0,200}}|--[a-z-]{{2,40}}"
    rf"|-[{_LETTERS}][ \t]?[^\s-]\S{{0,100}}|-[luvQ]))+)"
)
_PBS = compiled(  # `-l select=2:ngpus=4:gpu_model=a100`
    r"^[ \t]*#PBS[ \t]+-l[ \t]+(?:select|nodes)=(?P<nodes>\d{1,4}):(?P<rest>[^\n]{0,200})$",
    re.MULTILINE,
)
_NGPUS = compiled(r"(?:ngpus|gpus)=(?P<count>\d{1,3})")
_NAMED = compiled(r"gpu_(?:model|type)=(?P<type>[\w-]{2,40})", re.IGNORECASE)
_ALLOCATED = compiled(r"^[ \t]*salloc(?:[ \t]+-[^\n]*)?$", re.MULTILINE)
_OPTION = compiled(
    r"(?<!\S)(?:--(?P<name>[a-z-]+)|-(?P<short>[NGCp]))[= ]?[\"']?(?P<value>[^\s\"'#]+)"
)
_LONG = {"N": "nodes", "G": "gpus", "C": "constraint", "p": "partition"}
_GPUS = compiled(r"^(?:gpu:)?(?:(?P<type>[a-z][\w.-]*):)?(?P<count>\d{1,4})$", re.IGNORECASE)
_POD = compiled(r"(?:nvidia|amd)\.com/gpu[\"']?[ \t]*:[ \t]*[\"']?(?P<count>\d{1,3})(?!\S*\w)")
_PRODUCT = compiled(
    r"(?:gpu\.product|gke-accelerator|accelerator-type|gpu-type|gpu\.model|gpu-model|gpu-product"
    r"|node\.kubernetes\.io/instance-type|instanceType|instance_type)[\"']?"
    r"(?:[ \t]*[:=][ \t]*|[\s,]+operator:[ \t]*In[\s,]+values:[\s\[-]*)[\"']?(?P<type>[\w.-]+)"
)
_SKY = compiled(  # SkyPilot's, dstack's
    r"^[ \t]*(?:accelerators[ \t]*:|resourceProfile[ \t]*:[ \t]*(?:nvidia|amd)-gpu-"
    r"|gpus?[ \t]*:(?=[^\n]{0,40}:\d))[ \t]*[\"'{]?[ \t]*"
    r"(?P<type>[A-Za-z][\w.-]{0,30}\d[\w.-]{0,30})(?:[\"']?[ \t]*:[ \t]*(?P<count>\d{1,3}))?"
    r"[\"'}, \t]*(?:#.*)?$",
    re.MULTILINE,
)
_CODE = compiled(  # Modal's `gpu="A100-80GB:2"`, Ray's `accelerator_type="L4"`
    r"(?<![\w.])(?P<key>gpu|accelerator_type)[\"']?[ \t]*(?:[=:][ \t]*[\"']|:[ \t]*(?=[A-Z]))"
    r"(?P<type>[A-Za-z][\w-]{0,30}\d[\w-]{0,30})[!+]?(?::(?P<count>\d{1,2}))?(?:[\"']|[ \t]*$)",
    re.MULTILINE,
)
_COUNT = compiled(r"[1-9]\d{0,3}")
_NODES = compiled(r"^[ \t]*num_nodes[ \t]*:[ \t]*(?P<nodes>\d{1,3})[ \t]*$", re.MULTILINE)
_MAKER = compiled(r"^(?:nvidia|amd)[-_ ]+", re.IGNORECASE)
_MEMORY = compiled(
    r"(?<!\d)(?P<size>16|24|32|40|48|64|80|94|96|128|141|180|192)(?:gi?b?)?(?![\dA-Za-z])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """`card`: its name as the scheduler has it, or none; `count` of each of `nodes`; 0: unsaid."""

    card: str = ""
    count: int = 0
    nodes: int = 1

    @property
    def whole(self) -> int:
        return min(MOST, self.count * self.nodes)


def taken_from(text: str) -> tuple[str, Asked | None]:
    """`text` without what asks a scheduler for cards, and what is asked."""
    if any(name in text for name in ("#SBATCH", "srun", "sbatch", "salloc")):
        return _of_slurm(text)
    if "#PBS" in text and (found := _PBS.search(text)) and (count := _NGPUS.search(found["rest"])):
        named = _NAMED.search(found["rest"])
        card = named["type"] if named else ""
        return _PBS.sub("", text), Asked(card, int(count["count"]), int(found["nodes"]))
    if ".com/gpu" in text or "gke-accelerator" in text or "instanceType" in text:
        return _of_pods(text)
    if "accelerator" in text or "gpu" in text:
        return _of_sky(text)
    return text, None


def _of_slurm(text: str) -> tuple[str, Asked | None]:
    said: dict[str, str] = {}
    for part in (*_BATCH.finditer(text), *_SRUN.finditer(text)):
        for one in _OPTION.finditer(part["options"]):
            said[one["name"] or _LONG[one["short"]]] = one["value"]
    text = _ALLOCATED.sub("", _BATCH.sub("", text))
    text = _SRUN.sub(lambda one: one[0].removesuffix(one["options"]), text)
    nodes = _whole(said.get("nodes", "").partition("-")[0])
    each = said.get("gpus-per-node") or said.get("gres") or ""
    places = (said.get("constraint", ""), said.get("partition", ""))
    found: re.Match[str] | None = _GPUS.match(each) or _GPUS.match(said.get("gpus", ""))
    if found is not None:  # `--gpus` is of the whole job
        card = _refined(found["type"] or "", places)
        return text, Asked(card, int(found["count"]), nodes if each else 1)
    of_task = _GPUS.match(said.get("gpus-per-task", ""))
    if of_task is None:
        return text, None
    count = int(of_task["count"]) * _whole(said.get("ntasks-per-node", ""))
    return text, Asked(_refined(of_task["type"] or "", places), count, nodes)


def _whole(number: str) -> int:
    return int(number) if _COUNT.fullmatch(number) else 1


def _refined(card: str, places: tuple[str, ...]) -> str:
    """The card with the memory that a constraint or a partition says: `a100`, `a100_80`."""
    for place in places:
        for part in re.split(r"[|&,\[\]()]", place):
            plain = part.casefold().replace("_", "-")
            plain = re.sub(r"^(?:gpu|gpus|nodes)-|-(?:gpu|gpus|nodes?)$", "", plain)
            size = _MEMORY.search(plain)
            if card and size and (card.casefold() in plain or plain == size[0]):
                return f"{card} {size['size']}gb"
            name = _MEMORY.sub("", plain).strip("-") if size else plain
            if not card and re.search(r"[a-z]\d", name):
                return f"{name} {size['size']}gb" if size and name else plain
    return card


def _of_pods(text: str) -> tuple[str, Asked | None]:
    counts = [int(found["count"]) for found in _POD.finditer(text)]
    named = _PRODUCT.search(text)
    if named is None or not counts:
        return text, None
    card = _MAKER.sub("", named["type"])
    if "." in card and re.fullmatch(r"[a-z]\w*\.\w+", card):
        return text, Asked(card, 1)  # an instance, which has its cards
    return text, Asked(card.removesuffix("-SHARED"), max(counts))


def _of_sky(text: str) -> tuple[str, Asked | None]:
    found = _SKY.search(text) or _CODE.search(text)
    if found is None:
        return text, None
    if found.re.pattern == _CODE.pattern and found["key"] == "accelerator_type":
        return text, Asked(found["type"])
    several = _NODES.search(text)
    left = (
        f"{text[: found.start()]}\n{text[found.end() :]}"
        if found.re.pattern == _SKY.pattern
        else text
    )
    return left, Asked(
        found["type"], int(found["count"] or 1), int(several["nodes"]) if several else 1
    )
