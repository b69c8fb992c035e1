"""The lines of a loss, by the part of a step that they are held in."""

from dataclasses import dataclass

from estimator.breakdown import Line, MomentName


@dataclass(frozen=True, slots=True)
class LossPath:
    """Lines of the loss at its peak in forward, kept for backward, at its peak in backward.

    `forward_in`, `backward_in`: the moments that these peaks belong to. `waiting`: what of it
    is held while another model runs. `after`: what a trainer's loop holds until its step.
    `capped`: what a soft cap in front of it keeps. `inside`: whether it runs under autocast.
    Of an earlier step, until this loss is known: `named`, logits that the loop still names, and
    `earlier`, what its graph still holds.
    """

    forward: Line | None
    kept: Line | None
    backward: Line | None
    forward_in: MomentName = MomentName.FORWARD
    backward_in: MomentName = MomentName.BACKWARD
    waiting: Line | None = None
    after: Line | None = None
    capped: Line | None = None
    inside: bool = False
    named: Line | None = None
    earlier: Line | None = None
