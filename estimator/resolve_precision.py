"""The defaults of a training step's number formats: what is held, computed and updated in what."""

from estimator.architecture import Architecture
from estimator.catalog import Catalog
from estimator.errors import Contradiction
from estimator.memory.sharding import SHARDED_WEIGHTS
from estimator.request import TrainRequest
from estimator.resolve import Ledger, find_dtype, find_format, usual_weights, warn_of_unused
from estimator.resolve_packed import adapted_packed
from estimator.rows import Dtype, Format
from estimator.setup import Numbers
from estimator.words import Master, Method

ADAPTERS = (  # methods that leave the model as it is and train something beside it
    *(Method.LORA, Method.RSLORA, Method.DORA, Method.QLORA, Method.LORA_FA, Method.VERA),
    *(Method.ADALORA, Method.IA3, Method.LOHA, Method.LOKR, Method.OFT, Method.BOFT),
    *(Method.PROMPT, Method.PREFIX, Method.PTUNING, Method.LN_TUNING, Method.LLAMA_ADAPTER),
)
LOW_MEMORY = {  # methods that are full fine-tuning with an optimizer of their own
    Method.GALORE: "galore_adamw",
    Method.APOLLO: "apollo",
    Method.LOMO: "lomo",
}


def resolve_weights(
    request: TrainRequest,
    method: Method,
    architecture: Architecture,
    catalog: Catalog,
    ledger: Ledger,
) -> tuple[Format, Dtype | None]:
    """What the base is held in; for EXL2 also the element type of its bits a weight."""
    packed = adapted_packed(request, catalog) if method in ADAPTERS else None
    if packed is not None and request.weights is None:
        ledger.note("weights", packed, "the checkpoint is packed so", "transformers-quantizers")
        return find_format(packed, request, architecture, catalog, ledger)
    if method is Method.QLORA:
        named = catalog.formats.find(request.weights) if request.weights else None
        if named is None or named.trainable:  # "qlora bf16" names what it is computed in
            warn_of_unused(request, ("group_size",), ledger)
            why = "QLoRA's recipe: NF4, block 64, double quantised"
            ledger.note("weights", "nf4_dq", why, "qlora-2023")
            return catalog.formats.find("nf4_dq"), None
    why = "16-bit weights, the usual base" if method in ADAPTERS else "mixed precision's weights"
    name = ledger.take("weights", request.weights, *usual_weights(request, why))
    number_format, bits = find_format(name, request, architecture, catalog, ledger)
    if number_format.id.startswith("gguf:"):
        raise Contradiction(
            ("weights",),
            f"`{number_format.id}` is a file format to run, not to train.",
            suggestions=("qlora", "lora"),
        )
    if method not in ADAPTERS and not number_format.trainable:
        raise Contradiction(
            ("method", "weights"),
            f"`{number_format.id}` weights are frozen, but `{method}` trains every weight.",
            suggestions=("qlora", "full bf16"),
        )
    return number_format, bits


def resolve_autocast(
    request: TrainRequest, method: Method, number_format: Format, ledger: Ledger
) -> bool:
    """Whether the forward pass runs under autocast."""
    if method in ADAPTERS:
        return ledger.take(
            "autocast",
            request.autocast,
            True,
            "bf16=True of the Trainer",
            "trl-sft-config",
        )
    if number_format.id == "fp32":
        return ledger.take(
            "autocast",
            request.autocast,
            False,
            "computed in the weights' own fp32",
            "defaults",
        )
    return bool(request.autocast)


def resolve_compute(
    request: TrainRequest,
    number_format: Format,
    *,
    autocast: bool,
    catalog: Catalog,
    ledger: Ledger,
) -> Dtype:
    """The type that the linears compute in."""
    if request.compute:
        if computes_in_fp8(request, catalog):
            why = "products in fp8 read 16-bit tensors, and those wait for backward"
            ledger.note("compute", "bf16", why, "torchao-float8")
            return catalog.dtypes.find("bf16")
        return find_dtype(request.compute, "compute", catalog)
    if request.mp_policy is not None and request.mp_policy.param is not None:
        gathered = find_dtype(request.mp_policy.param, "mp_policy", catalog)
        if gathered.id != "fp32" or not autocast:  # autocast casts what was gathered in fp32
            return gathered
    if request.method is Method.QLORA and request.weights in ("bf16", "fp16", "fp32"):
        return find_dtype(request.weights, "compute", catalog)
    if autocast and number_format.id == "fp32":
        ledger.note("compute", "bf16", "what autocast casts to", "torch-autocast")
        return catalog.dtypes.find("bf16")
    if number_format.quantised:
        why = "packed weights are unpacked to it to be multiplied"
        ledger.note("compute", number_format.compute, why, number_format.sources[0])
    return catalog.dtypes.find(number_format.compute)


def computes_in_fp8(request: TrainRequest, catalog: Catalog) -> bool:
    """Whether linears multiply in eight bits."""
    return request.compute is not None and catalog.dtypes.find(request.compute).id == "fp8"


def resolve_kbit_prepare(
    request: TrainRequest, method: Method, number_format: Format, ledger: Ledger
) -> bool:
    """Whether what is not packed is cast to fp32, as PEFT's helper does."""
    if not number_format.quantised or method not in ADAPTERS:
        return False
    if request.strategy in SHARDED_WEIGHTS:
        why = "TRL leaves a sharded model as it is: all that is divided has one type"
        return ledger.take("kbit_prepare", request.kbit_prepare, False, why, "trl-sharded-qlora")
    return ledger.take(
        "kbit_prepare",
        request.kbit_prepare,
        True,
        "PEFT's recipe: what is not packed is cast to fp32",
        "peft-kbit-prepare",
    )


def in_fp32(numbers: Numbers, fp32: Dtype) -> Numbers:
    """`prepare_model_for_kbit_training`: every 16-bit parameter becomes fp32."""
    return Numbers(
        format=numbers.format,
        linear=numbers.linear,
        embedding=fp32,
        head=fp32,
        expert=fp32 if numbers.expert.plain else numbers.expert,
        other=fp32,
        compute=numbers.compute,
    )


def resolve_master(
    request: TrainRequest, method: Method, number_format: Format, catalog: Catalog, ledger: Ledger
) -> Dtype | None:
    """The type of the master weights that the step updates, none if there are none."""
    if method is Method.BADAM:
        why = "BAdam updates an fp32 copy of the block that it trains"
        ledger.note("master", Master.FP32, why, "badam-package")
        return catalog.dtypes.find("fp32")
    if method in ADAPTERS or number_format.id == "fp32":
        return None
    if method is Method.LISA:
        default, why = Master.NONE, "the 16-bit weights are trained as they are"
    elif method in LOW_MEMORY or request.optimizer in LOW_MEMORY.values():
        default, why = Master.NONE, "the optimizer is meant for 16-bit weights as they are"
    else:
        default, why = (
            Master.FP32,
            "mixed precision updates an fp32 master: 16 bytes a parameter with Adam",
        )
    master = ledger.take("master", request.master, default, why, "zero-2019")
    return catalog.dtypes.find("fp32") if master is Master.FP32 else None
