#include "core/compile/image.hpp"

#include <cstring>

namespace gpu_emulator {
namespace {

constexpr char magic[16] = "gpu emulator 03";

class writer {
public:
    void number(uint64_t n) { bytes.append(reinterpret_cast<const char*>(&n), sizeof n); }
    void text(std::string_view t) {
        number(t.size());
        bytes += t;
    }
    std::string bytes;
};

class reader {
public:
    explicit reader(const char* at) : at_(at) {}
    uint64_t number() {
        uint64_t n;
        std::memcpy(&n, at_, sizeof n);
        at_ += sizeof n;
        return n;
    }
    std::string text() {
        const std::size_t size = number();
        std::string t(at_, size);
        at_ += size;
        return t;
    }

private:
    const char* at_;
};

}  // namespace

std::string write_image(const image& i) {
    writer w;
    w.bytes.assign(magic, sizeof magic);
    w.text(i.architecture);
    w.number(i.release);
    w.number(i.kernels.size());
    for (const kernel_info& k : i.kernels) {
        w.text(k.name);
        w.number(k.sizes.size());
        for (std::size_t p = 0; p < k.sizes.size(); ++p) {
            w.number(k.sizes[p]);
            w.number(k.offsets[p]);
        }
        w.number(k.parameter_bytes);
        w.number(k.shared_bytes);
        w.number(k.meets);
        w.number(k.bound);
    }
    w.text(i.object);
    return w.bytes;
}

std::optional<image> read_image(const void* bytes) {
    if (!bytes || std::memcmp(bytes, magic, sizeof magic) != 0) return {};
    reader r(static_cast<const char*>(bytes) + sizeof magic);
    image i;
    i.architecture = r.text();
    i.release = r.number();
    i.kernels.resize(r.number());
    for (kernel_info& k : i.kernels) {
        k.name = r.text();
        const std::size_t parameters = r.number();
        for (std::size_t p = 0; p < parameters; ++p) {
            k.sizes.push_back(static_cast<uint32_t>(r.number()));
            k.offsets.push_back(static_cast<uint32_t>(r.number()));
        }
        k.parameter_bytes = static_cast<uint32_t>(r.number());
        k.shared_bytes = static_cast<uint32_t>(r.number());
        k.meets = r.number() != 0;
        k.bound = static_cast<uint32_t>(r.number());
    }
    i.object = r.text();
    return i;
}

}  // namespace gpu_emulator
