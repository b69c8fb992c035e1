"""The moments of serving: load, the prefill of a prompt, decoding.

What the work needs, not what an engine reserves: vLLM takes a share of the card
whatever the model, which the answer says apart.
"""

from estimator.breakdown import Estimate, Parameters, bounds
from estimator.engines import moments_of
from estimator.setup import ServeSetup


def estimate_serving(setup: ServeSetup) -> Estimate:
    """What one card holds, the fullest, at each moment; the engine says which lines."""
    architecture, moments = setup.shape.architecture, moments_of(setup)
    low, high = bounds(moments)
    return Estimate(
        moments=moments,
        resting=None,
        parameters=Parameters(
            total=architecture.parameters, active=architecture.active_parameters, trainable=0
        ),
        low_bytes=low,
        high_bytes=high,
    )
