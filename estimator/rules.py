"""The rules of thumb, exact as they are passed on: second opinions beside the estimate.

They take the number of parameters that was typed, and round decimal GB. Where a rule
and the estimate differ, the estimate's lines say why.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from estimator.memory.adapters import lora_parameters
from estimator.request import Method
from estimator.setup import ServeSetup, TrainSetup
from estimator.units import BILLION, GB, show_count

MIXED_ADAM = {"weight": 2, "gradient": 2, "master": 4, "momentum": 4, "variance": 4}
ADAM_8BIT_BYTES = 12
SGD_MOMENTUM_BYTES = 8
INFERENCE_BYTES = 2

LORA_RULE_COPIES = 4
LORA_RULE_MARGIN = Fraction(12, 10)

GUIDE_WEIGHT, GUIDE_GRADIENT, GUIDE_ADAM = 2, 2, 8  # 7B: 14, 14 and 56 GB
GUIDE_PLANS = ((7, "tight on 1×80 GB, comfortable on 2×80 GB"), (13, "2×80 GB"), (34, "4×80 GB"), (70, "8×80 GB"))
GUIDE_SAME_SIZE = Fraction(15, 100)  # a size this near a printed one is meant by it
GUIDE_CLASSES = (
    "As printed: 24 GB is for LoRA on 7-13B, 48 GB for full 7B or QLoRA on 13-34B, "
    "80 GB for QLoRA on 70B or full 13B."
)
GUIDE_CONTRADICTION = (
    "It contradicts itself: 14 + 14 + 56 = 84 GB for a full 7B, which neither its 48 GB class "
    "nor one 80 GB card holds; full 13B by the same sum is 156 GB, not one 80 GB card; and "
    "LoRA 7-13B is 24-48 GB in one place, 24 GB in another."
)
GUIDE_BATCH = (
    "Effective batch = batch per card × accumulation (× cards); when it does not fit, "
    "shorten sequence and batch first, then accumulate back."
)


@dataclass(frozen=True, slots=True)
class SecondOpinion:
    """What a rule of thumb says. `bytes` is none where the rule names cards only."""

    rule: str
    bytes: int | None
    source: str
    formula: str = ""
    terms: Mapping[str, int] = field(default_factory=dict)
    note: str = ""


def bytes_per_parameter(
    parameters: int, each: Fraction, activations: int = 0
) -> tuple[int, str, dict[str, int]]:
    """V = N·B + A: bytes a parameter times parameters, and activations given apart."""
    terms = {"parameters": parameters, "bytes_each": each.numerator, "activations": activations}
    if each.denominator == 1:
        return int(parameters * each) + activations, "parameters × bytes_each + activations", terms
    amount = -(-parameters * each.numerator // each.denominator) + activations
    terms["parts"] = each.denominator
    return amount, "ceil(parameters × bytes_each ÷ parts) + activations", terms


def mixed_adam(parameters: int, activations: int = 0) -> SecondOpinion:
    """16 bytes: 2 weight + 2 gradient + 4 master + 4 momentum + 4 variance."""
    parts = " + ".join(f"{count} {name}" for name, count in MIXED_ADAM.items())
    return _per_parameter(
        "16_bytes_mixed_adam",
        parameters,
        Fraction(sum(MIXED_ADAM.values())),
        activations,
        "zero-2019",
        f"mixed-precision Adam: {parts} bytes a parameter",
    )


def lora_rule(base_bytes: int, trainable: int, bits: int) -> SecondOpinion:
    """(base + trainable in billions × bits/8 × 4) × 1.2, in GB."""
    each = bits * LORA_RULE_COPIES // 8
    margin = LORA_RULE_MARGIN
    amount = (base_bytes + trainable * each) * margin.numerator / margin.denominator
    return SecondOpinion(
        rule="lora_rule",
        bytes=-(-(base_bytes + trainable * each) * margin.numerator // margin.denominator)
        if not float(amount).is_integer()
        else int(amount),
        source="rules-of-thumb",
        formula="ceil((base + trainable × bytes_each) × margin ÷ parts)",
        terms={
            "base": base_bytes,
            "trainable": trainable,
            "bytes_each": each,
            "margin": margin.numerator,
            "parts": margin.denominator,
        },
        note=f"(base + trainable × {bits}/8 × 4) × 1.2",
    )


def gpu_guide(parameters: int, method: Method, effective_batch: int) -> SecondOpinion:
    """The GPU guide, as printed, with where it contradicts itself."""
    size = parameters / BILLION
    batch = f"{GUIDE_BATCH} Here: {effective_batch}."
    if method in (Method.LORA, Method.QLORA):
        if method is Method.QLORA and _near(size, 70):  # noqa: PLR2004
            printed = "70B QLoRA: one 80 GB card."
        else:
            printed = "LoRA and QLoRA on 7-13B: 24-48 GB."
        return SecondOpinion(
            "gpu_guide",
            None,
            "rules-of-thumb",
            note=f"{printed} {GUIDE_CLASSES} {GUIDE_CONTRADICTION} {batch}",
        )
    plan = next((text for printed_size, text in GUIDE_PLANS if _near(size, printed_size)), None)
    printed = f"{plan}." if plan else "it prints no card for this size."
    each = GUIDE_WEIGHT + GUIDE_GRADIENT + GUIDE_ADAM
    return SecondOpinion(
        "gpu_guide",
        parameters * each,
        "rules-of-thumb",
        formula="parameters × weight + parameters × gradient + parameters × adam",
        terms={
            "parameters": parameters,
            "weight": GUIDE_WEIGHT,
            "gradient": GUIDE_GRADIENT,
            "adam": GUIDE_ADAM,
        },
        note=f"Full fine-tuning in bf16: {printed} {GUIDE_CLASSES} {GUIDE_CONTRADICTION} {batch}",
    )


def to_run(parameters: int) -> SecondOpinion:
    """What the same model takes to run: 2 bytes a parameter, weights alone."""
    return _per_parameter(
        "inference_2_bytes", parameters, Fraction(INFERENCE_BYTES), 0, "rules-of-thumb",
        "to run the same model in 16 bits: the weights alone, without cache",
    )


def lora_share(setup: TrainSetup, rank: int) -> SecondOpinion:
    """How many parameters LoRA of `rank` on every linear trains, and what share that is."""
    architecture = setup.shape.architecture
    count = lora_parameters(architecture, rank)
    share = count / architecture.parameters
    return SecondOpinion(
        rule=f"lora_rank_{rank}_parameters",
        bytes=count * INFERENCE_BYTES,
        source="lora-2021",
        formula="trainable × bytes_each",
        terms={"trainable": count, "bytes_each": INFERENCE_BYTES},
        note=f"LoRA of rank {rank} on every linear trains {show_count(count)} of "
        f"{show_count(architecture.parameters)} parameters, {share:.2%}",
    )


def training_opinions(setup: TrainSetup, trainable: int, rank: int) -> tuple[SecondOpinion, ...]:
    """Every rule that speaks of this step, the most taught first."""
    return tuple(_training(setup, trainable, rank))


def serving_opinions(setup: ServeSetup) -> tuple[SecondOpinion, ...]:
    return (to_run(setup.shape.typed or setup.shape.architecture.parameters),)


def _training(setup: TrainSetup, trainable: int, rank: int) -> Iterator[SecondOpinion]:
    request = setup.request
    parameters = setup.shape.typed or setup.shape.architecture.parameters
    activations = request.rule_activation_bytes or 0
    if setup.adapter is None:
        if request.rule_bytes_per_parameter is not None:
            each = Fraction(str(request.rule_bytes_per_parameter))
            yield _per_parameter(
                "bytes_per_parameter", parameters, each, activations, "rules-of-thumb",
                f"the {float(each):g} bytes a parameter that you gave",
            )
        yield mixed_adam(parameters, activations)
        yield _per_parameter(
            "12_bytes_8bit_adam", parameters, Fraction(ADAM_8BIT_BYTES), activations,
            "rules-of-thumb", "8-bit Adam: about 12 bytes a parameter",
        )
        yield _per_parameter(
            "8_bytes_sgd_momentum", parameters, Fraction(SGD_MOMENTUM_BYTES), activations,
            "rules-of-thumb", "SGD with momentum: about 8 bytes a parameter",
        )
    else:
        bits = 4 if setup.numbers.format.quantised else 8 * setup.numbers.linear.bytes_per_block
        base = parameters * bits // 8
        yield lora_rule(base, trainable, 8 * setup.numbers.compute.bytes_per_block)
        yield mixed_adam(parameters, activations)
    yield gpu_guide(parameters, setup.method, setup.batch * setup.accumulation * setup.world)
    yield to_run(parameters)
    yield lora_share(setup, rank)


def _per_parameter(  # noqa: PLR0913
    rule: str, parameters: int, each: Fraction, activations: int, source: str, note: str
) -> SecondOpinion:
    amount, formula, terms = bytes_per_parameter(parameters, each, activations)
    if activations:
        note += f", and {activations / GB:g} GB of activations"
    return SecondOpinion(rule, amount, source, formula, terms, note)


def _near(size: float, printed: int) -> bool:
    return abs(Fraction(size) - printed) <= GUIDE_SAME_SIZE * printed
