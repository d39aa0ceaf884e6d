// Runs kernels for AArch64, in a process of that processor: qemu-aarch64 runner <batch >results.
// Nothing of Sinter's but the calling convention. The batch, in words of 8 bytes:
//
//   per kernel   bytes of the image, entry, number of calls; the image, padded to words
//   per call     n1, n0, mode, stage, chunk_begin, chunk_end, words of partials, scalars and row
//                values, number of operands; scalars; row values
//   per operand  bytes of its memory (0: an index), where in it ptr is (an index: the number), s1,
//   s0;
//                the memory, padded to words
//
// The results: per call the status, the partials and the memory of each operand.
#include "jit/kernel_ir/call.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

using namespace sinter::kernel_ir;

namespace {

void read_all(void* to, std::size_t size) {
    if (std::fread(to, 1, size, stdin) != size) std::exit(3);
}
uint64_t word() {
    uint64_t w;
    read_all(&w, sizeof w);
    return w;
}
std::vector<uint64_t> words(std::size_t count) {
    std::vector<uint64_t> all(count + 1);  // never without memory
    read_all(all.data(), count * sizeof(uint64_t));
    return all;
}
std::size_t padded(std::size_t size) { return (size + 7) / 8 * 8; }

/// An image begins at a multiple of 64 bytes, as in a pack.
constexpr std::size_t not_a_page = 192;

struct memory {
    char* bytes = nullptr;
    std::size_t size = 0;
};

void run_call(kernel_fn fn) {
    kernel_call c{};
    c.n1 = static_cast<int64_t>(word());
    c.n0 = static_cast<int64_t>(word());
    c.mode = static_cast<call_mode>(word());
    c.stage = static_cast<int64_t>(word());
    c.chunk_begin = static_cast<int64_t>(word());
    c.chunk_end = static_cast<int64_t>(word());
    std::vector<uint64_t> partials(word() + 1);
    const uint64_t scalar_count = word(), row_value_count = word(), operand_count = word();
    const std::vector<uint64_t> scalars = words(scalar_count), row_values = words(row_value_count);
    std::vector<operand_arg> args(operand_count + 1);
    std::vector<memory> all(operand_count);
    for (std::size_t o = 0; o < operand_count; ++o) {
        all[o].size = word();
        const uint64_t at = word();
        args[o].s1 = static_cast<int64_t>(word());
        args[o].s0 = static_cast<int64_t>(word());
        if (all[o].size == 0) {
            args[o].ptr = reinterpret_cast<char*>(at);
            continue;
        }
        all[o].bytes = static_cast<char*>(std::aligned_alloc(64, (all[o].size + 127) / 64 * 64));
        read_all(all[o].bytes, padded(all[o].size));
        args[o].ptr = all[o].bytes + at;
    }
    uint64_t status = 0;
    c.operands = args.data();
    c.scalars = scalars.data();
    c.row_values = row_values.data();
    c.partials = partials.data();
    c.status = &status;
    fn(&c);
    std::fwrite(&status, sizeof status, 1, stdout);
    std::fwrite(partials.data(), sizeof(uint64_t), partials.size() - 1, stdout);
    for (const memory& m : all) {
        std::fwrite(m.bytes, 1, m.size, stdout);
        std::free(m.bytes);
    }
}

}  // namespace

int main() {
    for (int c; (c = std::getchar()) != EOF;) {
        std::ungetc(c, stdin);
        const std::size_t size = word(), entry = word(), calls = word();
        void* code = mmap(nullptr, size + not_a_page, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (code == MAP_FAILED) return 4;
        auto* const image = static_cast<char*>(code) + not_a_page;
        std::vector<char> bytes(padded(size));
        read_all(bytes.data(), bytes.size());
        std::memcpy(image, bytes.data(), size);
        if (mprotect(code, size + not_a_page, PROT_READ | PROT_EXEC) != 0) return 5;
        __builtin___clear_cache(image, image + size);
        const auto fn = reinterpret_cast<kernel_fn>(image + entry);
        for (std::size_t i = 0; i < calls; ++i) run_call(fn);
        munmap(code, size + not_a_page);
    }
    return std::fflush(stdout) == 0 ? 0 : 6;
}
