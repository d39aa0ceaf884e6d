// Packs of kernels that were compiled beforehand: docs/offline_kernels.md.
#pragma once

#include <sinter/config.hpp>

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace sinter::inline v1 {
namespace cache {

/// Adds a pack of kernels (.spk) to the places in which kernels are looked for, before the folders.
/// The file and all folders above must belong to you or to root, and nobody else may be able to
/// write to them; or a trusted key has signed it. It is mapped, so it must stay as it is: replace
/// it by renaming another one. Call this before the first computation. Does nothing with
/// SINTER_CACHE=off. Throws Error if the file is no whole pack, or others could have written it.
/// PyTorch: torch.compiler.load_cache_artifacts.
SINTER_API void add_pack(const std::string& path);

/// Adds a pack that lies in the program, as sinter_embed_kernel_pack() of the CMake package puts it
/// there. It is asked before all others. `data` is aligned to 64 bytes and stays as it is. If it is
/// executable, as in a section of code, its kernels run where they lie. Throws Error if it is no
/// whole pack. PyTorch: none.
SINTER_API void add_pack(const void* data, std::size_t size);

/// Trusts packs that this Ed25519 key has signed, whoever may write their files: add_pack() and
/// SINTER_CACHE_PACKS then take a copy of them. `key` is 64 hexadecimal digits, the content of a
/// file that `sinter cache keys` made. For this process; call it before the first computation.
/// Throws Error if it is no key. PyTorch: none.
SINTER_API void trust_key(const std::string& key);

/// Runs a command of `sinter cache`, without these two words. Prints to `out`, and errors to `err`.
/// Returns the exit status: 0, 1 for a failure, 2 for a wrong command line. PyTorch: none.
SINTER_API int run_command(const std::vector<std::string>& arguments, std::ostream& out,
                           std::ostream& err);

}  // namespace cache
}  // namespace sinter::inline v1
