"""A stand-in for Discord on loopback: the real client talks to it over real sockets.

A test takes the fixture `standin`, connects a bot to it, and acts as people do:

    await standin.ready()
    reply = await standin.slash("vram train", {"query": "7B adam lora"})
    assert reply.embeds
    await standin.press("custom-id", reply)

`StandIn` in `standin.py` is what tests use, `Reply` in `reply.py` what they get. What a
person could not do raises SetupError. What a bot may not send is refused as Discord refuses
it, and written down in `standin.violations`, which must be empty at the end of a test unless
it took them with `expect_violations()`. `standin.faults` are the ways to misbehave,
`standin.settings` the numbers that Discord fixes, and `standin.clock.skip` lets minutes pass.
"""
