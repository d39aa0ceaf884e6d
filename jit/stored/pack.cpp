#include "jit/stored/pack.hpp"

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sinter::code_cache {
namespace {

/// Stands for a mapping that the system refuses: a folder mounted noexec, or larger pages.
constexpr uint8_t refused_byte = 0;
constexpr const uint8_t* refused = &refused_byte;

/// Returns true if the bytes lie in an executable segment of the program or of a library.
bool in_program_text(byte_view data) {
    return dl_iterate_phdr(
               [](dl_phdr_info* module, std::size_t, void* of) {
                   const auto& wanted = *static_cast<byte_view*>(of);
                   const auto begin = reinterpret_cast<uintptr_t>(wanted.data());
                   for (int i = 0; i < module->dlpi_phnum; ++i) {
                       const ElfW(Phdr)& segment = module->dlpi_phdr[i];
                       if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
                       const uintptr_t from = module->dlpi_addr + segment.p_vaddr;
                       if (begin >= from && begin - from <= segment.p_memsz &&
                           wanted.size() <= segment.p_memsz - (begin - from))
                           return 1;
                   }
                   return 0;
               },
               &data) == 1;
}

}  // namespace

pack::pack(std::string name, byte_view data, int file)
    : name_(std::move(name)), data_(data), file_(file) {}

std::unique_ptr<pack> pack::open(const std::string& path, std::string& why_not) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0) return open(file, path, why_not);
    why_not = std::strerror(errno);
    return nullptr;
}

std::unique_ptr<pack> pack::open(int file, const std::string& name, std::string& why_not) {
    struct stat s{};
    void* memory = MAP_FAILED;
    if (fstat(file, &s) == 0 && !S_ISREG(s.st_mode)) {
        why_not = "it is not a file";
    } else {
        memory =
            mmap(nullptr, static_cast<std::size_t>(s.st_size), PROT_READ, MAP_PRIVATE, file, 0);
        why_not = s.st_size == 0 ? "it is empty" : std::strerror(errno);
    }
    if (memory != MAP_FAILED) {
        const byte_view data(static_cast<const uint8_t*>(memory),
                             static_cast<std::size_t>(s.st_size));
        std::unique_ptr<pack> p(new pack(name, data, file));
        if (p->parse(why_not)) return p;
        munmap(memory, data.size());
    }
    close(file);
    return nullptr;
}

std::unique_ptr<pack> pack::in_memory(byte_view data, std::string& why_not) {
    std::unique_ptr<pack> p(new pack("embedded", data, -1));
    p->runs_in_place_ = in_program_text(data);
    return p->parse(why_not) ? std::move(p) : nullptr;
}

bool pack::parse(std::string& why_not) {
    const auto no = [&](const std::string& why) {
        why_not = why;
        return false;
    };
    if (data_.size() < sizeof head_) return no("it is too short for a pack");
    std::memcpy(&head_, data_.data(), sizeof head_);
    if (std::memcmp(head_.magic, pack_magic, sizeof pack_magic) != 0) return no("it is not a pack");
    if (head_.version != pack_version)
        return no("its format is " + std::to_string(head_.version) + ", this library reads " +
                  std::to_string(pack_version));
    if (head_.size != data_.size())
        return no("it has " + std::to_string(data_.size()) + " bytes of " +
                  std::to_string(head_.size));
    const uint64_t left = data_.size() - sizeof head_;
    const uint64_t targets = head_.targets * uint64_t{sizeof(pack_target)};
    if (targets > left || head_.entries > (left - targets) / sizeof(pack_entry))
        return no("its header is damaged");
    if (reinterpret_cast<uintptr_t>(data_.data()) % alignof(pack_entry) != 0)
        return no("it is not aligned to 8 bytes");
    const uint8_t* at = data_.data() + sizeof head_;
    targets_ = reinterpret_cast<const pack_target*>(at);
    entries_ = reinterpret_cast<const pack_entry*>(at + targets);
    code_ = std::make_unique<std::atomic<const uint8_t*>[]>(head_.targets);
    return true;
}

std::optional<byte_view> pack::bytes_at(pack_range r) const {
    if (r.at > data_.size() || r.size > data_.size() - r.at) return std::nullopt;
    return data_.subspan(r.at, r.size);
}

std::optional<std::string_view> pack::text_at(pack_range r) const {
    const std::optional<byte_view> b = bytes_at(r);
    if (!b) return std::nullopt;
    return std::string_view(reinterpret_cast<const char*>(b->data()), b->size());
}

/// Returns the entry, undamaged. The image is taken from its target's executable mapping if there
/// is one, so that its pages are read where they run.
std::optional<artefact> pack::at(uint64_t i, bool to_run) const {
    const pack_entry& e = entries_[i];
    const std::optional<byte_view> key = bytes_at(e.key), producer = bytes_at(e.producer);
    std::optional<byte_view> image = bytes_at(e.image);
    if (!key || !image || !producer || e.target >= head_.targets || e.entry >= image->size())
        return std::nullopt;
    const pack_target& t = targets_[e.target];
    bool executable = runs_in_place_;
    if (const uint8_t* code = to_run && !runs_in_place_ ? mapped(t) : nullptr;
        code && e.image.at >= t.code.at && e.image.at - t.code.at <= t.code.size &&
        e.image.size <= t.code.size - (e.image.at - t.code.at)) {
        image = byte_view(code + (e.image.at - t.code.at), image->size());
        executable = true;
    }
    if (e.digest != digest_of(e, *producer, *image)) return std::nullopt;
    const std::optional<std::string_view> target = text_at(t.name);
    if (!target || e.name != storage_hash(*target, *key, {e.abi, e.semantics})) return std::nullopt;
    return artefact{
        *target,    *key,        *image, e.entry, {e.abi, e.semantics}, *text_at(e.producer),
        executable, e.plain_size};
}

std::optional<artefact> pack::find(const wanted_code& wanted) const {
    const hash128 name = storage_hash(wanted.target, wanted.key, wanted.is);
    const pack_entry *const end = entries_ + head_.entries,
                            *e = std::lower_bound(
                                entries_, end, name,
                                [](const pack_entry& a, hash128 b) { return a.name < b; });
    if (e == end || e->name != name) return std::nullopt;
    const std::optional<artefact> a = at(static_cast<uint64_t>(e - entries_), true);
    return a && wanted.accepts(*a) ? a : std::nullopt;
}

/// Returns the images of a target mapped for execution, which the first call does; null if the
/// system refuses that.
const uint8_t* pack::mapped(const pack_target& t) const {
    std::atomic<const uint8_t*>& at = code_[static_cast<std::size_t>(&t - targets_)];
    const uint8_t* code = at.load(std::memory_order_acquire);
    if (!code) {
        const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
        void* memory = MAP_FAILED;
        if (file_ >= 0 && t.code.at % page == 0 && t.code.size > 0 && bytes_at(t.code))
            memory = mmap(nullptr, t.code.size, PROT_READ | PROT_EXEC, MAP_PRIVATE, file_,
                          static_cast<off_t>(t.code.at));
        code = memory == MAP_FAILED ? refused : static_cast<const uint8_t*>(memory);
        const uint8_t* first = nullptr;
        if (!at.compare_exchange_strong(first, code, std::memory_order_acq_rel)) {
            if (code != refused) munmap(memory, t.code.size);  // another thread was faster
            code = first;
        }
    }
    return code == refused ? nullptr : code;
}

bool pack::whole() const { return head_.digest == digest_of(head_, data_.subspan(sizeof head_)); }

}  // namespace sinter::code_cache
