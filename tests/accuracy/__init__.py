"""How right the estimates are: rows counted on real steps, scored against the estimator.

`truth.jsonl` holds training steps of the transformers model code (5.24, peft 0.21, torch
2.14), run on fake tensors: every operation's output was followed from allocation to
release, so the figures are exact to the byte. CUDA context, fragmentation and kernel
workspaces are not in them. `fsdp.jsonl` holds one rank's figures of FSDP2 steps, counted
the same way over a process group that only pretends to communicate.
"""
