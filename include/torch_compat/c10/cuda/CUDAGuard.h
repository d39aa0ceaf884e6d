// Streams, events, guards and memory of GPUs under libtorch's names; of either vendor.
#pragma once

#include <ATen/ATen.h>
#include <sinter/cuda.hpp>
