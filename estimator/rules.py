"""The rules of thumb, exact as they are passed on: second opinions beside the estimate.

They take the number of parameters that was typed, and round decimal GB. Where a rule
and the estimate differ, the estimate's lines say why. A rule about another run than the
one that was asked for says so, or is left out.
"""

from collections.abc import Iterator
from fractions import Fraction

from estimator.memory.adapters import lora_parameters
from estimator.refusals_of_adapters import LORA
from estimator.second_opinion import SecondOpinion, named, said
from estimator.setup import ServeSetup, TrainSetup
from estimator.trained import trained_tensors
from estimator.units import BILLION, GB, show_count
from estimator.words import Method, Objective

AS_PASSED_ON = "rules-of-thumb"

MIXED_ADAM = {"weight": 2, "gradient": 2, "master": 4, "momentum": 4, "variance": 4}
ADAM_8BIT_BYTES = 12
SGD_MOMENTUM_BYTES = 8
HALF_BYTES = 2
PACKED_BITS = 4  # a 4-bit base, without its scales

LORA_RULE_COPIES = 4  # weight, gradient and two states of what is trained
LORA_RULE_MARGIN = Fraction(12, 10)

GUIDE_PARTS = {"weight": 2, "gradient": 2, "adam": 8}  # 7B: 14, 14 and 56 GB
GUIDE_FULL = {
    7: "tight on 1×80 GB, comfortable on 2×80 GB",
    13: "2×80 GB",
    34: "4×80 GB",
    70: "8×80 GB",
}
GUIDE_ADAPTERS = "LoRA and QLoRA on 7-13B: 24-48 GB"
GUIDE_ADAPTED = (7, 13)  # billions, from and to
GUIDE_NOTHING = "no card printed for this size"
GUIDE_QLORA_70B = "70B QLoRA: one 80 GB card"
GUIDE_CLASSES = "24 GB: LoRA 7-13B. 48 GB: full 7B or QLoRA 13-34B. 80 GB: QLoRA 70B or full 13B."
GUIDE_CONTRADICTION = (
    "It contradicts itself: its 14 + 14 + 56 = 84 GB for a full 7B go into neither one 80 GB "
    "card nor its 48 GB class, and a full 13B, 156 GB by the same sum, not into its 80 GB class."
)
GUIDE_SHORT = "It contradicts itself: its full 7B of 84 GB is to fit 80 and 48 GB."
GUIDE_BATCH = (
    "Effective batch = batch per card × accumulation × cards, here {batch}; when it does not "
    "fit, shorten sequence and batch first, then accumulate back."
)
THREE_DIGITS = 100  # GB; from here on whole ones are shown
GUIDE_NEAR = Fraction(15, 100)  # a size this near a printed one is meant by it


def bytes_per_parameter(  # the rule V = N·B + A
    rule: str,
    parameters: int,
    each: Fraction | int,
    activations: int = 0,
    *,
    note: str,
    source: str = AS_PASSED_ON,
) -> SecondOpinion:
    """N parameters × B bytes each + A bytes of activations given apart, rounded up."""
    ratio = Fraction(each)
    if activations:
        note += f", and {_short(activations)} GB of activations"
    return SecondOpinion(
        rule=rule,
        bytes=-(-parameters * ratio.numerator // ratio.denominator) + activations,
        source=source,
        note=note,
        formula="ceil(parameters × bytes_each ÷ parts) + activations",
        terms={
            "parameters": parameters,
            "bytes_each": ratio.numerator,
            "parts": ratio.denominator,
            "activations": activations,
        },
    )


def mixed_adam(parameters: int, activations: int = 0) -> SecondOpinion:
    """16 bytes: 2 weight + 2 gradient + 4 master + 4 momentum + 4 variance."""
    parts = " + ".join(f"{count} {name}" for name, count in MIXED_ADAM.items())
    return bytes_per_parameter(
        "16_bytes_mixed_adam",
        parameters,
        sum(MIXED_ADAM.values()),
        activations,
        note=f"mixed-precision Adam: {parts} bytes a parameter",
        source="zero-2019",
    )


def lora_rule(base_bytes: int, trainable: int, bits: int) -> SecondOpinion:
    """(base + trainable × bits/8 × 4) × 1.2, rounded up."""
    each = bits * LORA_RULE_COPIES // 8
    margin = LORA_RULE_MARGIN
    return SecondOpinion(
        rule="lora_rule",
        bytes=-(-(base_bytes + trainable * each) * margin.numerator // margin.denominator),
        source=AS_PASSED_ON,
        note=f"(base + trainable × {bits}/8 × {LORA_RULE_COPIES}) × {float(margin):g}",
        formula="ceil((base + trainable × bytes_each) × margin ÷ parts)",
        terms={
            "base": base_bytes,
            "trainable": trainable,
            "bytes_each": each,
            "margin": margin.numerator,
            "parts": margin.denominator,
        },
    )


def gpu_guide(parameters: int, method: Method, effective_batch: int) -> SecondOpinion:
    """The GPU guide, as printed, with where it contradicts itself."""
    rest = f"{GUIDE_CLASSES} {GUIDE_CONTRADICTION} {GUIDE_BATCH.format(batch=effective_batch)}"
    size = Fraction(parameters, BILLION)
    if method in LORA:
        note = f"{_guide_for_adapters(size, method)}. {GUIDE_SHORT}"
        return SecondOpinion("gpu_guide", None, AS_PASSED_ON, note=note, caveat=rest)
    plan = next((text for number, text in GUIDE_FULL.items() if near(size, number)), None)
    weight, gradient, adam = (_short(parameters * part) for part in GUIDE_PARTS.values())
    printed = plan or GUIDE_NOTHING
    return SecondOpinion(
        rule="gpu_guide",
        bytes=parameters * sum(GUIDE_PARTS.values()),
        source=AS_PASSED_ON,
        note=f"full in bf16: weights {weight} + gradients {gradient} + Adam {adam} GB, "
        f"{printed}. {GUIDE_SHORT}",
        caveat=rest,
        formula="parameters × weight + parameters × gradient + parameters × adam",
        terms={"parameters": parameters, **GUIDE_PARTS},
    )


def _guide_for_adapters(size: Fraction, method: Method) -> str:
    """What the guide prints for adapters on a model of `size` billion parameters."""
    first, last = GUIDE_ADAPTED
    if method is Method.QLORA and near(size, max(GUIDE_FULL)):
        return GUIDE_QLORA_70B
    inside = first < size < last or near(size, first) or near(size, last)
    return GUIDE_ADAPTERS if inside else GUIDE_NOTHING


def to_run(parameters: int) -> SecondOpinion:
    """What the same model takes to run: 2 bytes a parameter, weights alone."""
    return bytes_per_parameter(
        "inference_2_bytes",
        parameters,
        HALF_BYTES,
        note="to run the same model in 16 bits: the weights alone, without cache",
    )


def lora_share(setup: TrainSetup, rank: int) -> SecondOpinion:
    """How many parameters LoRA of `rank` on every linear trains, and what share that is."""
    architecture = setup.shape.architecture
    count = lora_parameters(architecture, rank)
    return SecondOpinion(
        rule="lora_parameters",
        bytes=count * HALF_BYTES,
        source="lora-2021",
        note=f"LoRA of rank {rank} on every linear trains {show_count(count)} of "
        f"{show_count(architecture.parameters)} parameters, "
        f"{count / architecture.parameters:.2%}: this in 16 bits",
        formula="trainable × bytes_each",
        terms={"trainable": count, "bytes_each": HALF_BYTES},
    )


def training_opinions(setup: TrainSetup, rank: int) -> tuple[SecondOpinion, ...]:
    """Every rule that speaks of this step, the nearest first."""
    parameters = setup.shape.typed or setup.shape.architecture.parameters
    nearest = _of_adapters(setup) if setup.adapter else _of_full(setup, parameters)
    guide = gpu_guide(parameters, setup.method, setup.batch * setup.accumulation * setup.world)
    partly = _partly(setup)
    opinions = [*nearest]
    if not guide.note.startswith(GUIDE_NOTHING):
        opinions.append(named(guide, partly) if partly and guide.bytes is not None else guide)
    opinions.append(to_run(parameters))
    if not partly or (setup.method in LORA and setup.method is not Method.LORA_FA):
        opinions.append(lora_share(setup, rank))
    alone = _alone(setup)
    return tuple(named(one, alone) if alone else one for one in opinions)


def _partly(setup: TrainSetup) -> str:
    """How a rule of full training is to be read beside a run that trains less; empty if all."""
    if setup.part is not None and not setup.part.last:
        return "at_once"
    return "whole" if setup.part is not None or setup.adapter is not None else ""


def _alone(setup: TrainSetup) -> str:
    """The model that rules are about where others stand beside it: they know of no others."""
    if not setup.goal.companions:
        return ""
    return "student" if setup.goal.objective is Objective.DISTILL else "policy"


def serving_opinions(setup: ServeSetup) -> tuple[SecondOpinion, ...]:
    """Every rule that speaks of serving."""
    return (to_run(setup.shape.typed or setup.shape.architecture.parameters),)


def _of_full(setup: TrainSetup, parameters: int) -> Iterator[SecondOpinion]:
    activations = setup.request.rule_activation_bytes or 0
    yield from _own(setup, parameters)
    partly = _partly(setup)
    for rule in _full_rules(parameters, activations):
        yield said(rule, partly) if partly else rule


def _full_rules(parameters: int, activations: int) -> Iterator[SecondOpinion]:
    """Rules of training every weight; their names say it."""
    yield mixed_adam(parameters, activations)
    yield bytes_per_parameter(
        "12_bytes_8bit_adam",
        parameters,
        ADAM_8BIT_BYTES,
        activations,
        note="8-bit Adam: about 12 bytes a parameter",
    )
    yield bytes_per_parameter(
        "8_bytes_sgd_momentum",
        parameters,
        SGD_MOMENTUM_BYTES,
        activations,
        note="SGD with momentum: about 8 bytes a parameter",
    )


def _own(setup: TrainSetup, parameters: int) -> Iterator[SecondOpinion]:
    given = setup.request.rule_bytes_per_parameter
    if given is not None:
        yield bytes_per_parameter(
            "bytes_per_parameter",
            parameters,
            Fraction(str(given)),
            setup.request.rule_activation_bytes or 0,
            note=f"the {given:g} bytes a parameter that you gave",
        )


def _of_adapters(setup: TrainSetup) -> Iterator[SecondOpinion]:
    parameters = setup.shape.typed or setup.shape.architecture.parameters
    if setup.method in LORA:
        packed = setup.numbers.format.quantised
        bits = PACKED_BITS if packed else 8 * setup.numbers.linear.bytes_per_block
        compute_bits = 8 * setup.numbers.compute.bytes_per_block
        trainable = sum(tensor.parameters for tensor in trained_tensors(setup))
        yield lora_rule(parameters * bits // 8, trainable, compute_bits)
    yield from _own(setup, parameters)
    yield said(mixed_adam(parameters, setup.request.rule_activation_bytes or 0), "whole")


def _short(amount_bytes: int) -> str:
    """GB in three digits, or in whole GB where that is more."""
    amount = amount_bytes / GB
    return f"{amount:.0f}" if amount >= THREE_DIGITS else f"{amount:.3g}"


def near(size: Fraction, printed: int) -> bool:
    """Whether a size, in billions, is meant by one that the guide prints."""
    return abs(size - printed) <= GUIDE_NEAR * printed
