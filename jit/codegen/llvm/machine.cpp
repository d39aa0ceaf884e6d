#include "jit/codegen/llvm/machine.hpp"

#include "jit/codegen/llvm/back_end.hpp"
#include "jit/codegen/llvm/emit_kernel.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>

namespace sinter::codegen {
namespace {

/// The back ends of the process: as many as threads have compiled at once, up to a limit. Leaked,
/// since the process may exit while a thread compiles.
class back_ends {
public:
    /// Calls fn(back end) with a free back end; waits if all are in use.
    template <class F>
    auto with_one(target level, F fn) {
        const level_info wanted = info(level);
        per_level& own = level == target::x86_64_v4 ? v4_ : others_;
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !own.free.empty() || own.made < most; });
        std::unique_ptr<back_end> one;
        if (own.free.empty()) {
            one = std::make_unique<back_end>(wanted);
            ++own.made;
        } else {
            one = std::move(own.free.back());
            own.free.pop_back();
        }
        lock.unlock();
        struct give_back {
            back_ends& all;
            per_level& own;
            std::unique_ptr<back_end>& one;
            ~give_back() {
                std::lock_guard relock(all.mutex_);
                own.free.push_back(std::move(one));
                all.changed_.notify_all();
            }
        } const scope{*this, own, one};
        return fn(*one);
    }

private:
    static constexpr int most = 16;
    struct per_level {
        std::vector<std::unique_ptr<back_end>> free;
        int made = 0;
        per_level() { free.reserve(most); }
    };
    std::mutex mutex_;
    std::condition_variable changed_;
    per_level others_, v4_;  // a plugin has one other level
};

back_ends& all_back_ends() {
    static auto* all = new back_ends;
    return *all;
}

std::vector<compiled> compile_module(const std::vector<kernel_ir::kernel>& kernels, target level,
                                     uint32_t mode) {
    return all_back_ends().with_one(level, [&](back_end& end) {
        llvm::LLVMContext context;
        llvm::Module module("kernels", context);
        end.prepare(module);
        emit_options options{info(level).shape, info(level).cpu, mode};
        auto name = [](std::size_t n) { return "kernel." + std::to_string(n); };
        for (std::size_t n = 0; n < kernels.size(); ++n)
            emit_kernel(module, kernels[n], options, name(n));

        const llvm::ArrayRef<char> object = end.run(module);
        std::vector<compiled> out;
        const auto* bytes = reinterpret_cast<const uint8_t*>(object.data());
        for (std::size_t n = 0; n < kernels.size(); ++n)
            out.push_back({link_image(bytes, object.size(), name(n)), {}});
        return out;
    });
}

}  // namespace

std::vector<compiled> compile(const std::vector<kernel_ir::kernel>& kernels, target level,
                              uint32_t mode) {
    try {
        return compile_module(kernels, level, mode);
    } catch (const std::exception& e) {
        if (kernels.size() == 1) return {{{}, e.what()}};
    }
    std::vector<compiled> out;
    for (const kernel_ir::kernel& k : kernels) {
        try {
            out.push_back(std::move(compile_module({k}, level, mode).front()));
        } catch (const std::exception& e) {
            out.push_back({{}, e.what()});
        }
    }
    return out;
}

const char* llvm_version() { return LLVM_VERSION_STRING; }

}  // namespace sinter::codegen
