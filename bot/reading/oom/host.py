"""The machine's own memory: an allocation on the CPU, and programs that the system killed."""

from dataclasses import replace

from bot.reading.oom.figures import phrase
from bot.reading.oom.message import OomKind, OomMessage
from bot.reading.oom.wording import Wording, first_of, read_wording

KILLED = phrase(
    r"SIGKILL|OOM[-\s]?Killed|oom[-_]kill|signal:? killed|Killed: 9"
    r"|(?:^|[\n|:\]] ?)Killed ?(?:\n|$)"
    r"|\d Killed (?:python|torchrun|accelerate|deepspeed|\./)|signal 9\b"
)
ARRAY = phrase(r"for an array with shape \(([\d,\s]{1,80})\)")
ENDED = (
    r"(?:return|exit)(?:ed with)? ?(?:code|status)(?: is| of)? ?[=:(]{0,2} ?(-9|137)\b",
    r"exited (?:with )?(?:code |status )?\(?(-9|137)\b",
    r"(?:rc|status|code)[\s=:(]{1,3}(-9|137)\b",
)

# The driver says of it that memory ran out, as of a card's.
PINNED = Wording(
    OomKind.HOST_RAM,
    (
        "could not allocate pinned host memory of size: ?{n}",
        r"failed to alloc(?:ate)? {n} bytes on host",
    ),
    figures={"tried": ("pinned host memory of size: ?{n}", "failed to alloc(?:ate)? {n} bytes on")},
    before=True,
)
WORDINGS = (
    Wording(
        OomKind.HOST_RAM,
        (
            r"DefaultCPUAllocator",
            r"alloc_cpu\.cpp|CPUAllocator\.cpp",
            r"not enough memory: you tried to allocate",
            r"can'?t allocate memory: you tried to allocate",
            r"ArrayMemoryError|Unable to allocate {size} for an array",
            r"(?:^|\n) ?MemoryError\b|\bMemoryError:",
            r"std::bad_alloc",
            r"\(os error 1455\)|paging file is too small",
            r"unable to mmap {n} bytes",
            r"Cannot allocate memory",
            r"ggml_aligned_malloc: insufficient memory",
            r"insufficient shared memory \(shm\)|DataLoader worker[\s\S]{0,60}?killed by signal",
            r"memory allocation of {n} bytes failed|\bbad allocation\b",
            "crashed after using all available RAM",
            "notebook tried to allocate more memory than is available",
            "exceeded (?:job )?memory limit",
            r"srun: error: \S{1,60} tasks? [\d,\s-]{1,40}: Out Of Memory",
        ),
        figures={
            "tried": (
                "you tried to allocate {size}",
                "Unable to allocate {size} for an array",
                "unable to mmap {n} bytes",
                r"attempted to allocate {size}",
                "memory allocation of {n} bytes failed",
            )
        },
        words={"dtype": "and data type {word}", "paging": r"(paging file|os error 1455)"},
        before=True,
    ),
    Wording(
        OomKind.HOST_RAM,
        (
            r"node running low on memory|killed due to memory pressure",
            r"Memory on the node \(",
            r"ray\.exceptions\.OutOfMemoryError",
        ),
        figures={
            "this_process": "memory used={size}",
            "cpu_used": (
                r"was running was {size} ?/",
                r"Memory on the node[\s\S]{0,300}?was {size} ?/",
            ),
            "total": (r"Memory on the node[\s\S]{0,300}?was [\d.]{1,20} ?[KMGT]?i?B ?/ ?{size}"),
        },
        counts={"utilization": r"memory usage threshold of {x}"},
        before=True,
    ),
    Wording(
        OomKind.HOST_RAM,
        (
            r"Out of memory: Kill(?:ed)? process",
            r"Memory cgroup out of memory",
            r"oom[-_]kill(?:er)?\b|oom_reaper",
        ),
        figures={
            "this_process": r"anon-rss:{size}",
            "cpu_used": r"anon-rss:{size}",
            "limit": r"limit {size}",
        },
        before=True,
    ),
)


def read_host(text: str) -> OomMessage | None:
    """What ran out of the machine's memory, or who was killed, most likely for that."""
    for wording in WORDINGS:
        message = read_wording(wording, text)
        if message is not None:
            return replace(message, shape=_shape(text))
    code = first_of(ENDED, text)
    if code is None and KILLED.search(text) is None:
        return None
    message = OomMessage(OomKind.HOST_RAM, incomplete=True)
    return message if code is None else replace(message, counts={"exit_code": int(code[1])})


def _shape(text: str) -> tuple[int, ...]:
    """Of the array that was to be made, where it is said."""
    found = ARRAY.search(text)
    return tuple(int(one) for one in found[1].split(",") if one.strip()) if found else ()
