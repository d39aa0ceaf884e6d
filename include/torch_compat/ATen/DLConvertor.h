// DLPack under libtorch's names: the structures are global there.
#pragma once

#include <ATen/ATen.h>
#include <sinter/dlpack.hpp>

using DLManagedTensor = sinter::DLManagedTensor;
using DLManagedTensorVersioned = sinter::DLManagedTensorVersioned;
using DLTensor = sinter::DLTensor;
using DLDevice = sinter::DLDevice;
using DLDataType = sinter::DLDataType;
