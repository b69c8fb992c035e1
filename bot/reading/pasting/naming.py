"""Names in a paste → the words of a line: models and files, optimizers, modules, strategies."""

import re
from functools import cache
from importlib import resources

import tomli

from bot.compiled import compiled
from bot.reading.pasting.settings import Setting

_HUB = compiled(r"^[A-Za-z][\w.\-]{0,95}/[\w.\-]{2,96}(?::[\w.\-]+)?$")
_CACHED = compiled(r"models--([\w.\-]+?)--([\w.\-]+)")
_FILE = compiled(r"(?:-\d{5}-of-\d{5})?\.(gguf|safetensors|bin|pth|pt|nemo)$", re.IGNORECASE)
_CHECKPOINT = compiled(
    r"^(?:checkpoint-?\d*|original|final|model|output|outputs|snapshots|[0-9a-f]{12,})$"
)
_PLAIN = compiled(r"[^\w.\-/:]+")
_STAGE = compiled(
    r"z(?:ero)?[_-]?(?:stage)?[_-]?([0123])(?!\d)|stage[_-]?([0123])(?!\d)", re.IGNORECASE
)
_TUNED_WITH = compiled(r"(?<=\d[Bb]_)(q?lora|dora)_", re.IGNORECASE)
_CAMEL = compiled(r"(?<=[a-z])(?=[A-Z])")
_SIZED = compiled(r"(?<![\d.])(\d+(?:[._]\d+)?)b(?![a-z])", re.IGNORECASE)
_EXL_LAST = compiled(  # `_exl2_5_0`
    r"[-_]exl(?P<kind>[23])[-_](?P<whole>\d)[._](?P<part>\d{1,2})(?:bpw)?$", re.IGNORECASE
)
_BRANCH = compiled(  # of TheBloke's repositories, by which programs name folders and revisions
    r"[-_]GPTQ[_:@]gptq-(?P<bits>\d)bit-{1,2}(?P<group>\d{1,3})g(?:-actorder_(?:True|False))?$",
    re.IGNORECASE,
)
_TAGGED = compiled(r"^[^@]+@(?:i?q\d\w*|b?f(?:p)?16|[2-8]-?bit|mlx)$", re.IGNORECASE)
_DRAFT_FORMAT = compiled(
    r"[-_.](?:(?P<exl>(?:h\d[-_])?\d(?:[._]\d{1,2})?[-_]?bpw\S*|exl[23]\S*)"
    r"|(?P<format>(?:UD-)?I?Q\d\w*|BF16|F(?:P)?(?:8|16|32)|AWQ|GPTQ))$",
    re.IGNORECASE,
)
_OBJECTS = (
    "model",
    "base_model",
    "tokenizer",
    "model_name",
    "model_id",
    "model_path",
    "args",
    "config",
)  # of code
OWN_LOCAL = (
    "models",
    "model",
    "checkpoints",
    "data",
    "mnt",
    "home",
    "workspace",
    "weights",
    "hf",
    "opt",
    "root",
)
STORES = ("s3", "gs", "pvc", "oci", "file", "az", "modelscope")  # of files, by the last part
LINEAR = ("all", "all-linear", "all_linear", "linear")
DTYPES = {
    "bfloat16": "bf16", "bf16": "bf16", "float16": "fp16", "fp16": "fp16", "half": "fp16",
    "float32": "fp32", "fp32": "fp32", "float": "fp32", "float8_e4m3fn": "fp8",
}  # fmt: skip


@cache
def _optimizers() -> dict[str, str]:
    file = resources.files("bot.reading.pasting").joinpath("optimizers.toml")
    return tomli.loads(file.read_text(encoding="utf-8"))


def model_words(value: str) -> str:
    """A model by its id, its link, or the end of its path, with the format that a file has."""
    value = value.strip().strip("\"'")
    if value.casefold() in _OBJECTS:
        return ""
    if branch := _BRANCH.search(value):
        packed = f"{value[: branch.start()]}-GPTQ-Int{branch['bits']}"
        groups = f" , group size {branch['group']}" if int(branch["group"]) > 1 else ""
        return f"{model_words(packed)}{groups}"
    scheme, _, rest = value.partition("://")
    if rest and scheme in ("hf", "huggingface"):
        return model_words(rest)
    if rest and scheme in STORES:
        value = f"/{rest}"
    if _TAGGED.search(value):  # what stands behind any other `@` is a revision
        value, _, tag = value.partition("@")
        return f"{model_words(value)} , {tag}"
    value = re.sub(r"(?<=\w)@\w{1,60}$", "", value)
    if "://" in value:
        return f"model, {_PLAIN.sub('', value.split('?', 1)[0])}" if _is_hub(value) else ""
    if cached := _CACHED.search(value):
        return f"hf.co/{cached[1]}/{cached[2]}"
    plain = _PLAIN.sub("", value.replace("\\", "/")).strip("/.")
    parts = [part for part in plain.split("/") if part]
    local = value[:1] in ("/", ".", "~", "$") or ":\\" in value or ":/" in value
    if _HUB.match(plain) and not local and not _FILE.search(plain) and parts[0] not in OWN_LOCAL:
        return f"hf.co/{plain}"
    while len(parts) > 1 and _CHECKPOINT.match(parts[-1].casefold()):
        parts.pop()
    return file_words(parts[-1]) if parts else ""


def _is_hub(link: str) -> bool:
    return re.match(r"https?://(?:www\.)?(?:huggingface\.co|hf\.co|ollama\.com)/", link) is not None


def file_words(name: str) -> str:
    """A file's or a folder's name: of GGUF files also what they are."""
    name = _EXL_LAST.sub(r"-exl\g<kind>-\g<whole>.\g<part>bpw", name)
    found = _FILE.search(name)
    stem = name[: found.start()] if found else name
    return f"{stem} gguf" if found and found[1].casefold() == "gguf" else stem


def draft_words(value: str) -> str:
    """A smaller model that guesses ahead, and the format that its name ends in."""
    stem = _FILE.sub("", re.split(r"[/\\]", value.strip())[-1])
    packed = _DRAFT_FORMAT.search(stem)
    if packed is None:
        return f"draft {stem}" if stem else ""
    kind = "exl2" if packed["exl"] else packed["format"]
    return f"draft {stem[: packed.start()]} , draft weights {kind}"


def format_words(value: str) -> str:
    """The format alone of a file: `*Q4_K_M.gguf`."""
    packed = _DRAFT_FORMAT.search(f"-{_FILE.sub('', value.replace('*', ''))}")
    return (packed["format"] or "") if packed else ""


def targets_words(setting: Setting) -> str:
    """The modules that get adapters, or all of them."""
    names = [part for value in setting.values for part in re.split(r"[,\s|()]+", value) if part]
    if not names or any(name.casefold() in LINEAR for name in names):
        return "targets all-linear" if names else ""
    kept = [name for name in (re.sub(r"^.*[.$]|\W", "", one) for one in names) if name]
    return f"targets {' '.join(kept[:12])}" if kept else ""


def saved_words(setting: Setting) -> str:
    """The modules that are trained whole beside adapters."""
    names = [part for value in setting.values for part in re.split(r"[,\s]+", value) if part]
    return f"modules to save {' '.join(re.sub(r'[^0-9A-Za-z_.]', '', one) for one in names[:4])}"


def optimizer_words(value: str) -> str:
    """An optimizer by transformers', DeepSpeed's, PyTorch's or bitsandbytes' name for it."""
    name = re.sub(r"[^\w.\-]", "", value).rpartition(".")[2].casefold().replace("-", "_")
    if not name:
        return ""
    return f"optimizer {_optimizers().get(name, name)}"


def dtype_words(value: str) -> str:
    """A format that is computed and held in; none of `auto` and `None`."""
    return DTYPES.get(value.rpartition(".")[2].casefold(), "")


def attention_words(value: str) -> str:
    """Transformers' names for what computes attention."""
    plain = value.casefold()
    if "flash" in plain or "fa2" in plain or "fa3" in plain:
        return "flash"
    return next((word for word in ("sdpa", "eager", "flex") if word in plain), "")


def stage_words(value: str) -> str:
    """DeepSpeed's stage and what it offloads, as a file's name has them."""
    name = re.split(r"[/\\]", value)[-1]
    found = _STAGE.search(name)
    stage = (found[1] or found[2]) if found else ""
    if stage in ("", "0"):
        return ""
    return " , ".join(filter(None, (f"zero{stage}", _offload(name.casefold(), stage))))


def _offload(name: str, stage: str) -> str:
    if "offload" not in name or re.search(r"no[_-]?offload", name):
        return ""
    if stage != "3" or "offload_opt" in name:
        return "offload optimizer"
    return "offload params" if "param" in name and "opt" not in name else "offload both"


def sharding_words(setting: Setting) -> str:
    """FSDP by the words of its options: `full_shard auto_wrap offload`."""
    words = {part for v in setting.values for part in re.split(r"[\s,]+", v.casefold()) if part}
    if words & {"false", "no_shard", "3"}:
        return ""
    grads = bool(words & {"shard_grad_op", "2", "hybrid_shard_zero2", "_hybrid_shard_zero2"})
    return " , ".join(
        filter(
            None,
            ("fsdp", "no reshard" if grads else "", "offload params" if "offload" in words else ""),
        )
    )


def strategy_of_file(value: str) -> str:
    """What the name of accelerate's file says: `fsdp2.yaml`, `deepspeed_zero3.yaml`."""
    name = re.split(r"[/\\]", value)[-1].casefold()
    if found := re.search(r"fsdp[_-]?v?2|fsdp", name):
        two = found[0] != "fsdp"
        offload = "offload params" if "offload" in name else ""
        return " , ".join(filter(None, ("fsdp2" if two else "fsdp", offload)))
    return "ddp" if "multi_gpu" in name or "ddp" in name else stage_words(name)


def component_words(value: str) -> str:
    """Torchtune's and LitGPT's objects by their path: a model's builder, an optimizer, a loss."""
    name = value.rpartition(".")[2]
    if "optim" in value.casefold():
        return optimizer_words(name)
    if ".models." not in value or "transform" in name or "tokenizer" in name:
        return "chunked loss" if "Chunked" in name or "LinearCrossEntropy" in name else ""
    method = next((m for m in ("qlora", "lora", "dora") if name.startswith(f"{m}_")), "full")
    return f"{tune_model(name.removeprefix(f'{method}_'))} , {method}"


def recipe_words(value: str) -> str:
    """A model by the name of torchtune's config, and the kind of adapters that it sets up."""
    method = _TUNED_WITH.search(value)
    return tune_model(value) + (f" , {method[1].casefold()}" if method else "")


def tune_model(name: str) -> str:
    """A model as torchtune writes it: `llama3_1_8b`, `qwen2_5_7b_instruct`, `llama3_2/3B`."""
    name = re.sub(r"/+", "_", name.removesuffix(".yaml"))
    name = re.sub(
        r"_(?:lora|qlora|full|dora|dpo|qat|ppo|knowledge|single_device|distributed|low_memory).*$",
        "",
        name,
        flags=re.IGNORECASE,
    )
    name = re.sub(r"(?<=[a-z])(\d)_(\d)(?=_)", r"\1.\2", name)
    name = re.sub(r"_(\d)_(\d)(?=b(?:_|$))", r"_\1.\2", name)
    return re.sub(r"^(phi)(\d)", r"\1 \2", name).replace("_", " ")
