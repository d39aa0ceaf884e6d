// PyTorch's files of tensors, as torch.save writes them: a zip archive of a pickle and the
// elements. libzip reads and writes them; it is opened by the first call of one of these functions,
// which throw Error if it is not installed.
//
// Nothing that a file says is executed: it may hold tensors, parameters, numbers, dicts, lists and
// tuples, and every other object is refused. Tensors that shared memory when they were saved share
// it again. UInt16, UInt32 and UInt64, which no tensor has, are read as Int, Long and Long.
#pragma once

#include <sinter/tensor.hpp>

#include <map>
#include <string>

namespace sinter::inline v1 {

/// Returns all tensors of a file by name, on the CPU. A dict within a dict gives names with a dot,
/// a list or tuple the numbers of its elements: "model.0.weight". A file of one tensor gives it
/// under the empty name. Numbers are tensors of no dimensions. Runs at once. Throws ValueError if
/// the file is damaged, holds anything else (text or None, for example), or was written on a
/// big-endian machine, and Error if it cannot be opened, is older than PyTorch 1.6, or libzip is
/// not installed. PyTorch: torch.load(path, map_location="cpu", weights_only=True).
SINTER_API std::map<std::string, Tensor> load_pt(const std::string& path);
/// Returns one tensor of a file, which may hold other values beside it. Throws ValueError if there
/// is none of this name; else as above. PyTorch: torch.load(path)[name].
SINTER_API Tensor load_pt(const std::string& path, const std::string& name);
/// Writes a dict of tensors to a file, which takes the place of the old one once it is complete;
/// equal tensors give equal bytes. Computes pending values at once. Tensors that share memory and
/// have one dtype are written with all of that memory, others alone and contiguous. Whether a
/// tensor requires a gradient is written, the gradient is not. Throws ValueError if a name is
/// longer than 4096 bytes, and Error if the file cannot be written or libzip is not installed.
/// PyTorch: torch.save.
SINTER_API void save_pt(const std::string& path, const std::map<std::string, Tensor>& tensors);
/// Writes one tensor, without a name, in the same way. PyTorch: torch.save.
SINTER_API void save_pt(const std::string& path, const tensor_base& tensor);

}  // namespace sinter::inline v1
