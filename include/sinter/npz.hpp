// NumPy's .npz archives: several arrays by name in one file. They are zip archives and are read and
// written by libzip, which is opened when one of these functions is called first; where it is not
// installed they throw Error.
//
// bfloat16, which NumPy lacks, is written as two opaque bytes ("V2"), as NumPy's extensions do.
#pragma once

#include <sinter/tensor.hpp>

#include <map>
#include <string>

namespace sinter::inline v1 {

/// All arrays of an archive, stored or compressed. Throws ValueError on what is no array of
/// numbers: Python objects are never read.
SINTER_API std::map<std::string, Tensor> load_npz(const std::string& path);
/// One of them.
SINTER_API Tensor load_npz(const std::string& path, const std::string& name);
/// Takes the place of the file once it is complete. Equal arrays give equal bytes.
SINTER_API void save_npz(const std::string& path, const std::map<std::string, Tensor>& arrays,
                         bool compressed = false);

}  // namespace sinter::inline v1
