#include "jit/cache/device_key.hpp"

#include "jit/cache/identity.hpp"
#include "jit/codegen/protocol.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <cstring>

namespace sinter::code_cache {
namespace {

using codegen::append, codegen::loop_shape, codegen::take;

/// No text begins so, and no serialised kernel.
constexpr uint8_t device_magic[] = {0, 'G', 'P', 'U'};

byte_view bytes_of(std::string_view text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

codegen::c_like_program print(const codegen::gpu_compiler& c, const device_subject& s) {
    const codegen::c_like_subject subject[] = {{&s.ir, s.shape}};
    return codegen::print_program(c.language, subject);
}

}  // namespace

bytes device_key(byte_view serialized_kernel, const loop_shape& shape) {
    bytes key(std::begin(device_magic), std::end(device_magic));
    each_field(shape, [&key](const char*, const auto& field) { append(key, uint64_t{field}); });
    key.insert(key.end(), serialized_kernel.begin(), serialized_kernel.end());
    return key;
}

std::optional<device_subject> read_device_key(byte_view key) {
    std::size_t at = sizeof device_magic;
    if (key.size() < at || std::memcmp(key.data(), device_magic, at) != 0) return std::nullopt;
    device_subject s;
    bool whole = true;
    each_field(s.shape, [&]<class T>(const char*, T& field) {
        uint64_t value = 0;
        whole = whole && take(key.data(), key.size(), at, value) && T(value) == value;
        field = T(value);
    });
    if (!whole) return std::nullopt;
    try {
        s.ir = kernel_ir::deserialize(key.data() + at, key.size() - at);
    } catch (const InternalError&) {
        return std::nullopt;
    }
    return s;
}

bool is_text(byte_view key) { return !key.empty() && key.front() != device_magic[0]; }

const codegen::gpu_compiler* compiler_of_target(std::string_view target) {
    for (const codegen::gpu_compiler* c : codegen::gpu_compilers)
        if (target.starts_with(std::string(c->language.name) + " ")) return c;
    return nullptr;
}

std::string source_of(const codegen::gpu_compiler& c, byte_view key) {
    if (const std::optional<device_subject> s = read_device_key(key)) return print(c, *s).text;
    return {reinterpret_cast<const char*>(key.data()), key.size()};
}

identity identity_of_subject(const kernel_ir::kernel& ir, const loop_shape& shape,
                             const codegen::c_like_function& printed) {
    const kernel_ir::kernel primitives = kernel_ir::decompose(ir);
    const int64_t numbers[] = {kernel_abi,       printed.by_rows, printed.words,
                               printed.finished, printed.kept,    printed.kept_operands,
                               printed.declared};
    std::string told = codegen::c_arguments_of(primitives, shape);
    for (const codegen::c_like_function::part& p : printed.parts)
        told += p.name + (p.merges ? " merges\n" : "\n");
    const hash128 abi = hash_of(
        {byte_view(reinterpret_cast<const uint8_t*>(numbers), sizeof numbers), bytes_of(told)});
    return {static_cast<uint32_t>(abi.low), semantics_of(primitives)};
}

std::optional<identity> identity_of(std::string_view target, byte_view key) {
    const codegen::gpu_compiler* const c = compiler_of_target(target);
    if (!c) return identity_of_kernel(key);
    if (const std::optional<device_subject> s = read_device_key(key))
        return identity_of_subject(s->ir, s->shape, print(*c, *s).functions.front());
    return is_text(key) ? std::optional(identity_of_text()) : std::nullopt;
}

}  // namespace sinter::code_cache
