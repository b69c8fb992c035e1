"""Links and paths, as they are copied, in the shortest form that says the same.

A link is never followed: what it names is read off its text. A GGUF file's name says the format,
ModelScope and mirrors call models as the Hub does, and of a path on a disk the last part counts.
"""

import re

from bot.compiled import compiled

_FILE_LINK = compiled(
    r"https?://(?:www\.)?(?:huggingface\.co|hf\.co|hf-mirror\.com)/(?P<id>[\w.-]+/[\w.-]+)"
    r"/(?:blob|resolve|raw)/[\w.-]+/(?:[\w.-]+/)*(?P<file>[\w.-]+?)(?:-\d{5}-of-\d{5})?\.gguf[^\s)>\]]*",
    re.IGNORECASE,
)
_FOLDER_LINK = compiled(  # into a folder of one format, or a branch of one
    r"https?://(?:www\.)?(?:huggingface\.co|hf\.co|hf-mirror\.com)/(?P<id>[\w.-]+/[\w.-]+)"
    r"/tree/(?P<branch>[\w.-]+)(?:/(?P<folder>[\w.-]+))?/?(?=[\s)>\],;?]|$)",
    re.IGNORECASE,
)
_BITS = compiled(
    r"(?:\w+-)?(?P<whole>\d)(?:[._](?P<part>\d{1,2}))?(?:[-_]?bpw)?(?:[-_]h\d)?", re.IGNORECASE
)
_PACKED = compiled(r"gptq-(?P<bits>\d)bit-{1,2}\d{1,3}g(?:-actorder_\w+)?", re.IGNORECASE)
_SHOWN = compiled(  # the Hub's page with a file's or a quant's box open
    r"https?://(?:www\.)?(?:huggingface\.co|hf\.co)/(?P<id>[\w.-]+/[\w.-]+)[^\s)>\]]*?"
    r"show_file_info=(?P<file>[\w.%-]+?)(?:-\d{5}-of-\d{5})?\.gguf[^\s)>\]]*",
    re.IGNORECASE,
)
_MIRROR = compiled(
    r"https?://(?:www\.)?(?:hf-mirror\.com|modelscope\.(?:cn|ai|com)/models)/(?P<id>[\w.-]+/[\w.-]+)[^\s)>\]]*",
    re.IGNORECASE,
)
_TITLED = compiled(
    r"\[[^\[\]]{0,200}\]\(<?(?P<link>https?://(?:www\.)?(?:huggingface\.co|hf\.co|hf-mirror\.com|ollama\.com|modelscope\.\w+)/[^\s)>]{1,300})>?[^)]{0,80}\)",
    re.IGNORECASE,
)
_FETCHED = compiled(
    r"(?<![\w-])(?:hf|huggingface-cli)\s+download\s+(?P<id>[\w.:-]+(?:/[\w.:-]+)*)(?:\s+(?:--include\s+)?[\"']?\*?(?P<file>[\w.-]+?)\*?\.gguf[\"']?)?",
    re.IGNORECASE,
)
_QUANT = compiled(
    r"(?<![A-Za-z0-9])(?:UD-)?(?:I?Q\d(?:_[A-Z0-9]+)*|TQ\d_\d|MXFP4(?:_MOE)?|BF16|F(?:P)?(?:16|32))$",
    re.IGNORECASE,
)
_QUOTED_PATH = compiled(
    r"(?P<quote>[\"'])[A-Za-z]:\\(?:[^\\\"'\n]+\\)*(?P<name>[^\\\"'\n]+)(?P=quote)"
)
_PATH = compiled(
    r"(?<![\w/\\])(?:[A-Za-z]:\\|\.{1,2}\\|~\\)(?:[^\\\s\"']+\\)*(?P<name>[^\\\s\"']+)"
)
_MLC = compiled(  # MLC's copies, which say how they are packed
    r"(?:HF://)?mlc-ai/(?P<name>[\w.-]{2,80}?)-q(?P<bits>[04])f(?:16|32)(?:_\d)?-MLC", re.IGNORECASE
)
_MLC_BITS = {"0": "fp16", "4": "int4"}


def shortened(text: str) -> str:
    """`text` with links to files as `hf.co/owner/name:Q4_K_M`, Windows paths by their last part."""
    if "://" in text:
        text = _TITLED.sub(r" \g<link> ", text)
        text = _FOLDER_LINK.sub(_of_folder, text) if "/tree/" in text else text
        text = _SHOWN.sub(_named, _FILE_LINK.sub(_named, text))
        text = _MIRROR.sub(r"hf.co/\g<id>", text)
    if "-MLC" in text:
        text = _MLC.sub(lambda m: f"{m['name']} {_MLC_BITS[m['bits']]}", text)
    text = _FETCHED.sub(_fetched, text)
    if "\\" in text:
        text = _PATH.sub(r"\g<name>", _QUOTED_PATH.sub(_last_part, text))
    return text


def _named(link: re.Match[str]) -> str:
    """The repository with the format that the file's name ends in."""
    quant = _QUANT.search(link["file"])
    return f"hf.co/{link['id']}" + (f":{quant[0]}" if quant else "")


def _of_folder(link: re.Match[str]) -> str:
    """The repository with the format of the folder, or of the branch, that a link leads into."""
    name, branch = link["id"], link["branch"]
    if quant := _QUANT.search(link["folder"] or ""):
        return f"hf.co/{name}:{quant[0]}"
    bits = _BITS.fullmatch(branch)
    if bits is not None and re.search(r"exl[23]$", name, re.IGNORECASE):
        return f"hf.co/{name}-{bits['whole']}.{bits['part'] or 0}bpw"
    if (packed := _PACKED.fullmatch(branch)) and name.upper().endswith("-GPTQ"):
        return f"hf.co/{name}-Int{packed['bits']}"
    return link[0]


def _fetched(command: re.Match[str]) -> str:
    """`hf download owner/name file-Q4_K_M.gguf`: what is got, to be run."""
    quant = _QUANT.search(command["file"] or "")
    host = "hf.co/" if "/" in command["id"] and not command["id"].startswith("hf.co") else ""
    return f"{host}{command['id']}" + (f":{quant[0]}" if quant else "")


def _last_part(path: re.Match[str]) -> str:
    return re.sub(r"\s+", "-", path["name"])
