"""How one training step is counted: real model code on tensors that hold nothing.

`settings`, `shapes` and `figures` need no torch. What needs it imports it from `foreign`
alone, so that the rest of the tests run without.
"""
