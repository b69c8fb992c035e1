"""Adapter requests that contradict themselves, or that PEFT does not do."""

from estimator.errors import Contradiction, Unsupported
from estimator.mixers import Attention
from estimator.request import TrainRequest
from estimator.rows import Format
from estimator.setup import Shape
from estimator.words import Checkpointing, Method

LORA = (Method.LORA, Method.RSLORA, Method.DORA, Method.QLORA, Method.LORA_FA)
LORA_LIKE = (*LORA, Method.ADALORA, Method.VERA)
RANKED = (*LORA_LIKE, Method.LOHA, Method.LOKR, Method.OFT)
ON_LINEARS = (*RANKED, Method.IA3, Method.BOFT)
VIRTUAL = (Method.PROMPT, Method.PREFIX, Method.PTUNING, Method.LLAMA_ADAPTER)
VECTORS_ALONE = (Method.VERA, Method.IA3, Method.LN_TUNING)
WHERE = {
    Method.LN_TUNING: "trains the norms",
    Method.PROMPT: "trains tokens in front of the sequence",
    Method.PTUNING: "trains tokens in front of the sequence",
    Method.PREFIX: "trains keys and values in front of the sequence",
    Method.LLAMA_ADAPTER: "trains tokens that attention sees",
    Method.IA3: "trains one factor for each input or output",
    Method.BOFT: "rotates blocks of 4 inputs",
    Method.LOHA: "has no dropout of inputs",
    Method.LOKR: "has no dropout of inputs",
    Method.OFT: "has no dropout of inputs",
}
OF_METHODS = {  # a field → the methods that have it
    "rank": RANKED,
    "targets": ON_LINEARS,
    "adapter": ON_LINEARS,
    "lora_dropout": LORA_LIKE,
    "modules_to_save": (*ON_LINEARS, Method.LN_TUNING),
    "virtual_tokens": VIRTUAL,
}
BITSANDBYTES = ("int8", "nf4", "nf4_dq", "fp4")
GPTQ = ("gptq8", "gptq4", "gptq3")
OF_PEFT = (*BITSANDBYTES, *GPTQ, "awq4", "hqq4", "int4", "fp8")  # peft 0.21, quantization_utils
STANDS_ON = {  # methods that know fewer
    Method.IA3: BITSANDBYTES,
    Method.ADALORA: (*BITSANDBYTES, *GPTQ),
}
OF_LLAMA = ("llama", "mistral", "yi", "solar", "")  # families with the attention that PEFT adapts


def refuse_foreign(request: TrainRequest, method: Method) -> None:
    """Raise Contradiction for settings that the method does not have."""
    for field, methods in OF_METHODS.items():
        given = getattr(request, field)
        if given in (None, (), 0) or method in methods:
            continue
        raise Contradiction(
            ("method", field),
            f"`{method}` {WHERE.get(method, 'trains factors of linears')}: it has no `{field}`.",
            suggestions=(method.value, "lora"),
        )
    if method is Method.PREFIX and request.checkpointing not in (None, Checkpointing.NONE):
        raise Contradiction(
            ("method", "checkpointing"),
            "A prefix lies in the cache of keys and values, which checkpointing drops: PEFT "
            "refuses the two together.",
            suggestions=("prefix tuning no checkpointing", "prompt tuning"),
        )
    if method in VECTORS_ALONE and request.optimizer == "muon":
        raise Contradiction(
            ("method", "optimizer"),
            f"Muon updates matrices; `{method}` trains vectors alone.",
            suggestions=(f"{method} adamw", "lora muon"),
        )


def unknown_format(method: Method, number_format: Format) -> str | None:
    """A sentence where PEFT's method does not stand on such packed weights, for all we know."""
    if method not in ON_LINEARS or not number_format.quantised:
        return None
    if number_format.id in STANDS_ON.get(method, OF_PEFT):
        return None
    unpacked = ""
    if "mxfp4" in number_format.id:
        unpacked = " transformers unpacks it to bf16 to train, which takes more."
    return (
        f"PEFT has no `{method}` on `{number_format.id}` weights, as far as is known here: it is "
        f"sized as if it had.{unpacked}"
    )


def refuse_model(method: Method, shape: Shape, number_format: Format) -> None:
    """Raise for models and number formats that PEFT's method does not know."""
    if method in (Method.LOHA, Method.LOKR) and number_format.quantised:
        raise Contradiction(
            ("method", "weights"),
            f"PEFT has no `{method}` for packed weights such as `{number_format.id}`.",
            suggestions=("qlora", f"{method} bf16"),
        )
    plain = all(isinstance(block.attention, Attention) for _, block in shape.architecture.stack)
    if method in (Method.PREFIX, Method.LLAMA_ADAPTER) and not plain:
        raise Unsupported(
            "method",
            f"I have no estimate for `{method}` on attention that caches a latent.",
            suggestions=("lora", "prompt tuning"),
        )
    if method is Method.LLAMA_ADAPTER and shape.family not in OF_LLAMA:
        raise Unsupported(
            "method",
            f"PEFT's LLaMA-Adapter knows Llama's and Mistral's attention, not {shape.name}'s.",
            suggestions=("lora", "prefix tuning"),
        )
