#include "engine/run/direct_kernels.hpp"

#include "engine/run/entry_table.hpp"

namespace sinter::plan {
namespace {

constinit entry_table<direct_kernel, 4096, 8> direct_kernels;

uint64_t hash_of(const typed_program* code, uint64_t signature) {
    return reinterpret_cast<uintptr_t>(code) * 0x9e3779b97f4a7c15u ^
           signature * 0xc2b2ae3d27d4eb4fu;
}

}  // namespace

const direct_kernel* find_direct(const typed_program* code, uint64_t signature) {
    return direct_kernels.find(hash_of(code, signature), [&](const direct_kernel& k) {
        return k.code == code && k.signature == signature;
    });
}

void keep_direct(std::unique_ptr<const direct_kernel> k) {
    const typed_program* const code = k->code;
    const uint64_t signature = k->signature;
    direct_kernels.keep(hash_of(code, signature), std::move(k), [&](const direct_kernel& other) {
        return other.code == code && other.signature == signature;
    });
}

}  // namespace sinter::plan
