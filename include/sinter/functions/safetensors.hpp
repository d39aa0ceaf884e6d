// Safetensors files: a table of names, dtypes and sizes in JSON, then the elements. The format is
// that of huggingface/safetensors, whose other readers take what is written here.
//
// U16, U32 and U64, which no tensor has, are read as Int, Long and Long. ComplexDouble cannot be
// written, and 8-bit floats cannot be read: the format or the library lacks them.
#pragma once

#include <sinter/tensor.hpp>

#include <map>
#include <string>

namespace sinter::inline v1 {

/// Returns all tensors of a file by name. Runs at once. Throws ValueError if the file is damaged,
/// has bytes that belong to no tensor, or an element type that no tensor has, and Error if it
/// cannot be opened. PyTorch: none; safetensors.torch.load_file.
SINTER_API std::map<std::string, Tensor> load_safetensors(const std::string& path);
/// Returns one tensor of a file, of which only its elements are read. Throws ValueError if there is
/// none of this name; else as above. PyTorch: none; safe_open(path, "pt").get_tensor.
SINTER_API Tensor load_safetensors(const std::string& path, const std::string& name);
/// Returns the notes of a file, from its entry `__metadata__`; none if it has no such entry. Throws
/// as above. PyTorch: none; safe_open(path, "pt").metadata.
SINTER_API std::map<std::string, std::string> load_safetensors_metadata(const std::string& path);
/// Writes tensors and notes to a file, which takes the place of the old one once it is complete;
/// equal tensors give equal bytes. Computes pending values at once. Throws ValueError if a name or
/// a note is not UTF-8, or a name is `__metadata__`, TypeError if the format lacks a dtype, and
/// Error if the file cannot be written. PyTorch: none; safetensors.torch.save_file.
SINTER_API void save_safetensors(const std::string& path,
                                 const std::map<std::string, Tensor>& tensors,
                                 const std::map<std::string, std::string>& metadata = {});

}  // namespace sinter::inline v1
