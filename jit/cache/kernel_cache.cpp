#include "jit/cache/kernel_cache.hpp"

#include "jit/cache/identity.hpp"
#include "jit/cache/loader.hpp"
#include "jit/cache/memory.hpp"
#include "jit/cache/miss.hpp"
#include "jit/cache/places.hpp"
#include "jit/cache/plugin.hpp"
#include "jit/cache/target.hpp"
#include "jit/kernel_ir/base_form.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/memory/address_space.hpp"
#include "runtime/report/log.hpp"
#include "runtime/report/stats.hpp"
#include "runtime/report/trace.hpp"
#include "runtime/threads/background.hpp"
#include "runtime/threads/threads.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

namespace sinter::code_cache {
namespace {

using runtime::debug_enabled, runtime::debug_print, runtime::debug_stage;

/// Leaked on purpose: kernels are in use until the last thread ends.
struct process_cache {
    memory_cache memory;
    code_places& places = process_places();
    std::atomic<uint64_t> hits{0}, loaded{0}, compiled{0};
};

process_cache& the_cache() {
    static auto* c = new process_cache;
    return *c;
}

codegen::target required_target() {
    std::optional<codegen::target> level = process_target();
    if (!level)
        runtime::fail("jit", "the processor is too old for compiled kernels",
                      "a level below x86-64-v3", "x86-64-v3 (AVX2, FMA, BMI2 and F16C)",
                      "SINTER_JIT=off");
    return *level;
}

/// A kernel that the owner must get. Its slot is claimed; the destructor abandons it unless it was
/// published.
class claimed {
public:
    claimed(memory_cache& memory, memory_cache::slot& slot, lookup& result)
        : memory_(&memory), slot_(&slot), key_(slot.key()), result_(&result) {}
    claimed(claimed&& other) noexcept
        : memory_(other.memory_),
          slot_(std::exchange(other.slot_, nullptr)),
          key_(other.key_),
          is_(other.is_),
          result_(other.result_) {}
    claimed& operator=(claimed&& other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(slot_, other.slot_);
        std::swap(key_, other.key_);
        std::swap(is_, other.is_);
        std::swap(result_, other.result_);
        return *this;
    }
    ~claimed() {
        if (slot_) memory_->abandon(*slot_);
    }

    /// The serialised kernel, which the slot keeps.
    byte_view key() const { return key_; }
    /// Finds what `wanted` needs. May run out of memory, and then the destructor abandons the slot.
    void identify() { is_ = identity_of_kernel(key()); }
    /// What the places are asked for; nothing for bytes that are no kernel.
    std::optional<wanted_code> wanted(bool same_producer) const {
        if (!is_) return std::nullopt;
        return wanted_code{process_targets().front(), key_, *is_,
                           same_producer ? cpu_producer() : std::string_view()};
    }

    void publish(const artefact& a, source from) {
        memory_->publish(*slot_, kernel{load_image(a)});
        if (result_) *result_ = {slot_->ready(), from};
        slot_ = nullptr;
    }
    bool published() const { return !slot_; }
    bool failed_before() const { return slot_->failed(); }
    void fail() {
        if (slot_) memory_->fail(*std::exchange(slot_, nullptr));
        if (result_) result_->failed = true;
    }
    /// Forgets the result, which no longer exists.
    void detach() { result_ = nullptr; }
    const memory_cache::slot& slot() const { return *slot_; }

private:
    memory_cache* memory_;
    memory_cache::slot* slot_;
    byte_view key_;
    std::optional<identity> is_;
    lookup* result_;
};

void describe(codegen::target level, const std::vector<byte_view>& kernels,
              const std::vector<compile_reply>& replies,
              std::chrono::steady_clock::time_point start) {
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    std::string text = std::to_string(kernels.size()) +
                       (kernels.size() == 1 ? " kernel" : " kernels") + " compiled for " +
                       name_of(level) + " in " + std::to_string(took.count()).substr(0, 5) + " ms:";
    for (const compile_reply& r : replies)
        text += r.error.empty() ? " " + std::to_string(r.image.size()) + " bytes" : " failed";
    debug_print(debug_stage::codegen, text);
}

/// Most kernels per request, since the memory of a module grows with its kernels.
constexpr std::size_t together = 32;
/// Fewest kernels that are shared among threads: fewer are not worth starting threads.
constexpr std::size_t worth_threads = 4;

std::vector<compile_reply> compile(codegen::target level, uint32_t mode,
                                   const std::vector<byte_view>& kernels) {
    const auto start = std::chrono::steady_clock::now();
    runtime::trace_span span("jit", "compile");
    span.detail("kernels", static_cast<int64_t>(kernels.size()));
    std::vector<compile_reply> replies = compile_kernels(level, mode, kernels);
    if (debug_enabled(debug_stage::codegen, 1)) describe(level, kernels, replies, start);
    return replies;
}

std::vector<byte_view> kernels_of(std::span<claimed* const> missing) {
    std::vector<byte_view> kernels;
    for (const claimed* m : missing) kernels.push_back(m->key());
    return kernels;
}

/// Publishes the kernels that were compiled. Returns the error of the others.
std::string publish(process_cache& c, std::span<claimed* const> missing,
                    const std::vector<compile_reply>& replies) {
    std::string error;
    for (std::size_t n = 0; n < missing.size(); ++n) {
        const compile_reply& r = replies[n];
        if (!r.error.empty()) {
            error = r.error;
            missing[n]->fail();
            continue;
        }
        artefact a{process_targets().front(), missing[n]->key(), r.image, r.entry};
        const std::optional<wanted_code> wanted = missing[n]->wanted(false);
        missing[n]->publish(a, source::compiled);
        c.compiled.fetch_add(1, std::memory_order_relaxed);
        if (!wanted) continue;
        a.is = wanted->is;
        a.producer = cpu_producer();
        c.places.disk().store(a);
    }
    return error;
}

/// Deals kernels out to modules, an equal number of modules for each thread. All modules get about
/// the same number of bytes: kernels are dealt from the largest down, alternating in direction.
std::vector<std::vector<claimed*>> deal(std::span<claimed> missing, int threads) {
    if (missing.empty()) return {};
    std::vector<claimed*> all;
    for (claimed& m : missing) all.push_back(&m);
    std::stable_sort(all.begin(), all.end(), [](const claimed* a, const claimed* b) {
        return a->key().size() > b->key().size();
    });
    const std::size_t side_by_side =
        std::min(static_cast<std::size_t>(std::max(threads, 1)), all.size());
    const std::size_t round = side_by_side * together;
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): something is missing, so all is not empty
    std::vector<std::vector<claimed*>> modules(side_by_side * ((all.size() + round - 1) / round));
    for (std::size_t n = 0; n < all.size(); ++n) {
        const std::size_t turn = n % (2 * modules.size());
        modules[std::min(turn, 2 * modules.size() - 1 - turn)].push_back(all[n]);
    }
    return modules;
}

void compile_all(process_cache& c, codegen::target level, uint32_t mode,
                 std::span<claimed> missing) {
    const int threads = missing.size() < worth_threads ? 1 : runtime::available_threads();
    const std::vector<std::vector<claimed*>> modules = deal(missing, threads);
    std::vector<std::string> errors(modules.size());
    runtime::parallel_for(
        0, static_cast<int64_t>(modules.size()), 1, [&](int64_t begin, int64_t end) {
            for (auto n = static_cast<std::size_t>(begin); n < static_cast<std::size_t>(end); ++n)
                errors[n] = publish(c, modules[n], compile(level, mode, kernels_of(modules[n])));
        });
    for (const std::string& error : errors)
        if (!error.empty()) runtime::bug("jit", "a kernel cannot be compiled: " + error);
}

/// The kernels that one look-up pass has not found.
struct remaining {
    codegen::target level = required_target();
    uint32_t mode = process_mode();
    std::vector<claimed> missing;  // the caller must get these
    std::vector<memory_cache::slot*> elsewhere;
};

/// Returns the base form of a serialised kernel, if it is another one.
std::optional<bytes> base_of(byte_view key) {
    return kernel_ir::base_key(kernel_ir::deserialize(key.data(), key.size()));
}

/// Publishes a kernel that is stored somewhere, without a compiler also its base form. One for a
/// lower level will do if it is in a pack, or if there is no compiler.
bool load(process_cache& c, claimed& m) {
    const disk_config& config = c.places.disk().config();
    std::optional<wanted_code> wanted = m.wanted(config.same_producer);
    if (!wanted) return false;
    const std::span<const std::string> targets = process_targets();
    const bool compiles = plugin_present(nullptr);
    const bool lower_will_do = targets.size() == 1 || !compiles;
    const use_fn use = [&](const artefact& a) {
        if (debug_enabled(debug_stage::cache, 1))
            debug_print(debug_stage::cache, std::to_string(m.key().size()) +
                                                " bytes of kernel IR: stored for " +
                                                std::string(a.target));
        try {
            m.publish(a, source::disk);
        } catch (const OutOfMemoryError& e) {
            if (c.places.disk().config().must_have) throw;
            // Perhaps the system forbids to make written memory executable; packs run then, too.
            runtime::warn_once("cache.code",
                               "[cache] a stored kernel is not used; got " + std::string(e.what()));
            return false;
        }
        if (m.published()) c.loaded.fetch_add(1, std::memory_order_relaxed);
        return m.published();
    };
    if (c.places.find(*wanted, {targets.subspan(1), lower_will_do}, use)) return true;
    if (compiles && !config.must_have) return false;
    const std::optional<bytes> base = base_of(m.key());
    if (!base) return false;
    wanted->key = *base;  // the identity is that of the operations, which are the same
    return c.places.find(*wanted, {targets.subspan(1), lower_will_do}, use);
}

/// Fills in the kernels that are in memory or on disk; returns the rest. `where` names the line of
/// the n-th kernel in the program, for the error of SINTER_CACHE=require.
remaining find_all(process_cache& c, std::span<const byte_view> kernels,
                   std::vector<lookup>& results, const where_fn& where) {
    remaining rest;
    runtime::trace_span span("cache", "find kernels");
    for (std::size_t n = 0; n < kernels.size(); ++n) {
        if (results[n].k) continue;
        bool mine = false;
        memory_cache::slot& slot = c.memory.claim(kernels[n], mine);
        if (!mine) {
            results[n] = {slot.ready(), source::memory};
            if (results[n].k) {
                c.hits.fetch_add(1, std::memory_order_relaxed);
            } else {
                slot.missed.fetch_add(1, std::memory_order_relaxed);
                rest.elsewhere.push_back(&slot);
            }
            continue;
        }
        claimed m(c.memory, slot, results[n]);
        if (c.places.looks()) m.identify();
        if (load(c, m)) continue;
        slot.missed.fetch_add(1, std::memory_order_relaxed);
        if (debug_enabled(debug_stage::cache, 1))
            debug_print(debug_stage::cache, std::to_string(kernels[n].size()) +
                                                " bytes of kernel IR: not in the cache");
        const disk_config& config = c.places.disk().config();
        if (const auto wanted = m.wanted(config.same_producer); wanted && config.must_have)
            refuse_miss(name_of_key(m.key()), nearest_kernel(c.places, *wanted),
                        where ? where(n) : "");
        rest.missing.push_back(std::move(m));
    }
    span.detail("wanted", static_cast<int64_t>(kernels.size()));
    span.detail("missing", static_cast<int64_t>(rest.missing.size()));
    return rest;
}

/// A job of the background threads. Several may run it at once; the first to finish publishes, and
/// the others wait for that: when one returns, the job is done.
class compilation {
public:
    compilation(process_cache& c, codegen::target level, uint32_t mode,
                std::vector<claimed> missing)
        : cache_(c), level_(level), mode_(mode), missing_(std::move(missing)) {
        for (claimed& m : missing_) {
            m.detach();
            all_.push_back(&m);
            slots_.push_back(&m.slot());
        }
        kernels_ = kernels_of(all_);
    }

    void run() {
        if (done_) return published_.wait(false);
        std::vector<compile_reply> replies;
        std::string why;
        try {
            // An allocation that fails in LLVM, which is built without exceptions, can end the
            // process.
            if (!runtime::address_space_left(std::size_t{32} << 20)) throw std::bad_alloc();
            replies = compile(level_, mode_, kernels_);
        } catch (const std::exception& e) {
            why = e.what();
        }
        if (done_.exchange(true)) return published_.wait(false);
        try {
            if (!replies.empty()) why = publish(cache_, all_, replies);
        } catch (const std::exception& e) {
            why = e.what();
        }
        for (claimed* m : all_) {
            if (m->published())
                runtime::count().kernels_compiled.add();
            else
                m->fail();
        }
        if (!why.empty())
            runtime::warn_once("jit.background",
                               "[jit] a kernel was not compiled in the background; got " + why +
                                   "; it runs block by block, which is slower; try "
                                   "SINTER_JIT=wait, which throws the error at the call");
        published_ = true;
        published_.notify_all();
    }

    /// Returns the priority: the misses of the kernel that was missed most.
    uint64_t wanted() const {
        uint64_t most = 0;
        for (const memory_cache::slot* s : slots_)
            most = std::max(most, s->missed.load(std::memory_order_relaxed));
        return most;
    }

private:
    process_cache& cache_;
    codegen::target level_;
    uint32_t mode_;
    std::vector<claimed> missing_;
    std::vector<claimed*> all_;
    std::vector<const memory_cache::slot*> slots_;
    std::vector<byte_view> kernels_;
    std::atomic<bool> done_{false}, published_{false};
};

}  // namespace

lookup get(const std::vector<uint8_t>& serialized_kernel) {
    const byte_view one[] = {serialized_kernel};
    return get(one).front();
}

std::vector<lookup> get(std::span<const byte_view> kernels, const where_fn& where) {
    process_cache& c = the_cache();
    std::vector<lookup> results(kernels.size());
    // If another thread failed to get a kernel that this one waited for, this thread tries it.
    for (bool again = true; again;) {
        remaining rest = find_all(c, kernels, results, where);
        if (!rest.missing.empty()) compile_all(c, rest.level, rest.mode, rest.missing);
        for (memory_cache::slot* s : rest.elsewhere) c.memory.wait(*s);
        again = !rest.elsewhere.empty();
    }
    return results;
}

std::vector<lookup> get_or_compile_later(std::span<const byte_view> kernels,
                                         const where_fn& where) {
    process_cache& c = the_cache();
    std::vector<lookup> results(kernels.size());
    remaining rest = find_all(c, kernels, results, where);
    if (std::string why; !rest.missing.empty() && !plugin_present(&why)) {
        runtime::warn_once(
            "no-compiler",
            runtime::text("[jit] kernels cannot be compiled; got ", why,
                          ", expected the sinter_llvm plugin; those that are in no cache run block "
                          "by block, which is slower; try installing the plugin beside the "
                          "library, or storing them"));
        for (claimed& m : rest.missing) m.fail();
        return results;
    }
    std::erase_if(rest.missing, [](claimed& m) {
        const bool failed = m.failed_before();
        if (failed) m.fail();
        return failed;
    });
    for (const std::vector<claimed*>& module : deal(rest.missing, 1)) {
        std::vector<claimed> own;
        for (claimed* m : module) own.push_back(std::move(*m));
        const auto job = std::make_shared<compilation>(c, rest.level, rest.mode, std::move(own));
        try {
            runtime::run_in_background(
                {[job] { job->run(); }, [job] { return job->wanted(); }, true});
        } catch (const std::system_error& e) {  // retried when the code runs again
            runtime::warn_once(
                "jit.thread",
                runtime::text("[jit] no thread can be started to compile kernels; got ", e.what(),
                              "; they run block by block, which is slower; try a higher limit of "
                              "threads (ulimit -u)"));
        }
    }
    if (!rest.elsewhere.empty()) runtime::background_is_wanted();
    return results;
}

bool misses_are_errors() { return the_cache().places.disk().config().must_have; }

#if defined(__x86_64__)
constexpr const char* no_target = "this processor is below x86-64-v3";
#else
constexpr const char* no_target = "a process compiles kernels for x86-64 processors alone";
#endif

bool kernels_usable(std::string* why_not) {
    if (process_target())
        return plugin_present(why_not) || misses_are_errors() || the_cache().places.has_code();
    if (why_not) *why_not = no_target;
    return false;
}

bool compiler_present() { return plugin_present(nullptr); }

bool compiler_available(std::string* why_not) {
    if (!process_target()) {
        if (why_not) *why_not = no_target;
        return false;
    }
    return open_plugin(why_not);
}

const char* target_level() { return name_of(process_target()); }

std::string cache_folder() { return the_cache().places.disk().config().folder; }

counters count() {
    const process_cache& c = the_cache();
    return {c.hits.load(std::memory_order_relaxed), c.loaded.load(std::memory_order_relaxed),
            c.compiled.load(std::memory_order_relaxed)};
}

}  // namespace sinter::code_cache
