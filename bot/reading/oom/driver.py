"""Drivers and their libraries, which say that memory ran out and no more."""

from bot.reading.oom.message import OomKind
from bot.reading.oom.wording import Wording

DEVICE = {
    "device": (
        "current device: {n}",
        r"on (?:GPU|device|device ordinal):? (\d{1,3})\b(?!-)",
        r"\bGPU ?{n}\b",
    )
}
# Allocators of other libraries, whose words XLA and PyTorch share.
LIBRARIES = (
    Wording(
        OomKind.CUDA,
        (
            r"Out of memory error on GPU {n}",
            r"cupy\.cuda\.memory\.OutOfMemoryError",
            r"Out of memory allocating {size} \(allocated so far",
        ),
        figures={
            "tried": ("Cannot allocate {size} memory", "Out of memory allocating {size}"),
            "allocated_by_pytorch": (
                "{size} memory has been allocated",
                r"allocated so far: {size}",
            ),
            "free": "available memory is only {size}",
            "allowed": r"limit set to: {size}",
        },
        counts={"device": "on GPU {n}"},
        before=True,
    ),
)
WORDINGS = (
    Wording(
        OomKind.CUBLAS_ALLOC,
        (
            r"(?:CU|HIP)BLAS_STATUS_ALLOC_FAILED",
            "rocblas_status_memory_error",
            r"(?:cu|hip)(?:solver|sparse)_status_alloc_failed",
        ),
    ),
    Wording(
        OomKind.CUBLAS_INIT,
        (
            r"(?:CU|HIP)BLAS_STATUS_NOT_INITIALIZED",
            r"(?:cu|hip)(?:solver|sparse)_status_not_initialized",
            r"CUDNN_STATUS_NOT_INITIALIZED",
        ),
    ),
    Wording(
        OomKind.HIP,
        (
            r"hipErrorOutOfMemory|hipErrorMemoryAllocation",
            r"(?:HIP|ROCm) (?:error|runtime error|driver error)[\s\S]{0,60}?out of memory",
            r"hipMalloc\w{0,10}[\s\S]{0,60}?out of memory",
        ),
        counts=DEVICE,
        before=True,
    ),
    Wording(
        OomKind.XPU,
        (
            r"(?:UR|PI)_(?:RESULT_)?ERROR_OUT_OF_(?:DEVICE_MEMORY|RESOURCES)",
            r"ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY",
            "Allocation is out of device memory",
            r"CL_(?:MEM_OBJECT_ALLOCATION_FAILURE|OUT_OF_RESOURCES)",
        ),
    ),
    Wording(
        OomKind.NPU,
        (r"Memory_Allocation_Failure ?\(EL0004\)", r"rtMalloc[\s\S]{0,120}?(?:fail|207001)"),
        figures={"tried": r"size ?[:=] ?{n}"},
        before=True,
    ),
    Wording(
        OomKind.CUDA,
        (
            "Failed to allocate memory for requested buffer of size {n}",
            r"not enough (?:GPU )?(?:video )?memory available",
        ),
        figures={
            "tried": (
                "requested buffer of size {n}",
                "Could not allocate tensor with {size}",
            )
        },
        before=True,
    ),
    Wording(
        OomKind.CUDA,
        (
            r"CUDA_ERROR_OUT_OF_MEMORY|cudaErrorMemoryAllocation|CUDNN_STATUS_ALLOC_FAILED",
            (
                r"\b(?:CUDA|cuDNN|NCCL|cuMem|ncclUnhandledCuda)\w{0,20}[\s\S]{0,120}?"
                r"\bout[_\s]of[_\s]memory(?!: Kill)"
            ),
            r"ErrorOutOfDeviceMemory|VK_ERROR_OUT_OF_DEVICE_MEMORY",
            r"\bOutOfMemoryError: CUDA\b",
            r"\btorch\.(?:cuda\.)?OutOfMemoryError\b|OutOfMemoryError: Allocation on device",
            r"ran out of memory on your GPU|\bGPU ran out of memory",
        ),
        figures={
            "tried": (
                "tried to allocate {size}",
                r"failed to allocate [\d.]{1,20} ?[KMGT]?i?B? ?\({size}\)",
            )
        },
        counts=DEVICE,
        before=True,
    ),
)
