#pragma once

#include <torch/torch.h>

#include <c10/cuda/CUDAGuard.h>
