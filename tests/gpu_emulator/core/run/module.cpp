#include "core/run/module.hpp"

#include "core/base/findings.hpp"
#include "core/compile/access_word.hpp"
#include "core/compile/shared_variables.hpp"
#include "core/memory/device.hpp"
#include "core/run/checks.hpp"
#include "core/run/stacks.hpp"
#include "core/run/threads.hpp"

#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Support/MemoryBuffer.h>

#include <atomic>
#include <cmath>
#include <cstring>

namespace gpu_emulator {

namespace orc = llvm::orc;

namespace {

template <class F>
orc::ExecutorAddr address(F* f) {
    return orc::ExecutorAddr::fromPtr(reinterpret_cast<void*>(f));
}

/// The process's linker. Leaked, because exit handlers may unload modules.
struct linker {
    linker()
        : session(cantFail(orc::SelfExecutorProcessControl::Create())),
          memory(cantFail(llvm::jitlink::InProcessMemoryManager::Create())),
          layer(session, *memory) {}

    static linker& get() {
        static linker& l = *new linker;
        return l;
    }

    orc::SymbolMap symbols() {
        orc::SymbolMap map;
        const auto add = [&](const char* name, orc::ExecutorAddr at) {
            map[session.intern(name)] = {
                at, llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
        };
        add(access_functions[0], address(gpu_emulator_read));
        add(access_functions[1], address(gpu_emulator_write));
        add(access_functions[2], address(gpu_emulator_atomic));
        add(shared_functions[0], address(gpu_emulator_shared_read));
        add(shared_functions[1], address(gpu_emulator_shared_write));
        add(shared_functions[2], address(gpu_emulator_shared_atomic));
        add(object_function, address(gpu_emulator_object));
        add("gpu_emulator_fence", address(gpu_emulator_fence));
        add("gpu_emulator_barrier", address(gpu_emulator_barrier));
        add("gpu_emulator_count", address(gpu_emulator_count));
        add("gpu_emulator_exchange", address(gpu_emulator_exchange));
        add("memcpy", address(std::memcpy));
        add("memmove", address(std::memmove));
        add("memset", address(std::memset));
        // For processors without the instructions.
        add("fmaf", address<float(float, float, float)>(::fmaf));
        add("fma", address<double(double, double, double)>(::fma));
        add("floorf", address<float(float)>(::floorf));
        add("floor", address<double(double)>(::floor));
        add("ceilf", address<float(float)>(::ceilf));
        add("ceil", address<double(double)>(::ceil));
        add("truncf", address<float(float)>(::truncf));
        add("trunc", address<double(double)>(::trunc));
        add("rintf", address<float(float)>(::rintf));
        add("rint", address<double(double)>(::rint));
        return map;
    }

    orc::ExecutionSession session;
    std::unique_ptr<llvm::jitlink::InProcessMemoryManager> memory;
    orc::ObjectLinkingLayer layer;
};

std::string next_name() {
    static std::atomic<uint64_t> count{0};
    return "module " + std::to_string(++count);
}

}  // namespace

struct module::linked {
    orc::JITDylib& library;
};

module::module(device& on, image code) :on_(on), code_(std::move(code)) {
    linker& l = linker::get();
    linked_.reset(new linked{l.session.createBareJITDylib(next_name())});
    const auto fails = [&](llvm::Error error) {
        if (!error) return false;
        why_not_ = llvm::toString(std::move(error));
        return true;
    };
    if (fails(linked_->library.define(orc::absoluteSymbols(l.symbols())))) return;
    if (fails(l.layer.add(linked_->library,
                          llvm::MemoryBuffer::getMemBufferCopy(code_.object, "kernels"))))
        return;
    const auto find = [&](const std::string& name) -> void* {
        auto symbol = l.session.lookup({&linked_->library}, name);
        if (fails(symbol.takeError())) return nullptr;
        return symbol->getAddress().toPtr<void*>();
    };
    state_ = static_cast<launch_state*>(find(state_variable));
    for (const kernel_info& k : code_.kernels)
        if (why_not_.empty()) functions_.push_back(reinterpret_cast<kernel_function>(find(k.name)));
}

module::~module() { llvm::consumeError(linker::get().session.removeJITDylib(linked_->library)); }

void module::run(const kernel_info& k, const launch_shape& shape,
                 const std::vector<char>& parameters) {
    if (on_.error()) return;  // work after an error does not run
    thread_local stack_pool stacks;
    const std::lock_guard lock(running_);
    launch l(on_, k, shape, *state_);
    threads t(stacks);
    t.run(l, functions_[static_cast<std::size_t>(&k - code_.kernels.data())], parameters.data());
    if (!l.failed) return;
    on_.fail(l.failed);
    report(l.finding);
}

}  // namespace gpu_emulator
