// NumPy's .npz archives: zip archives of several arrays by name. libzip reads and writes them; it
// is opened by the first call of one of these functions, which throw Error if it is not installed.
//
// bfloat16, which NumPy lacks, is written as two opaque bytes ("V2"), as NumPy's extensions do.
#pragma once

#include <sinter/tensor.hpp>

#include <map>
#include <string>

namespace sinter::inline v1 {

/// Returns all arrays of an archive, stored or compressed, by name. Runs at once. Throws ValueError
/// if an entry is damaged or no array of numbers (Python objects are never read), and Error if the
/// archive cannot be opened or libzip is not installed. NumPy: numpy.load.
SINTER_API std::map<std::string, Tensor> load_npz(const std::string& path);
/// Returns one array of an archive. Throws ValueError if there is none of this name; else as above.
/// NumPy: numpy.load.
SINTER_API Tensor load_npz(const std::string& path, const std::string& name);
/// Writes arrays to an archive, which takes the place of the file once it is complete; equal arrays
/// give equal bytes. Computes pending values at once. Throws ValueError if there are no arrays and
/// Error if the file cannot be written. NumPy: numpy.savez, numpy.savez_compressed.
SINTER_API void save_npz(const std::string& path, const std::map<std::string, Tensor>& arrays,
                         bool compressed = false);

}  // namespace sinter::inline v1
