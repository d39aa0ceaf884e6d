#include "runtime/device/module.hpp"

namespace sinter::runtime {

std::vector<gpu_kernel> load_kernels(const gpu& g, std::span<const char> code,
                                     std::span<const std::string> names) {
    const device_scope scope(g);
    void* module = nullptr;
    check(g, "loading device code", g.api->load_module(&module, code.data()));
    std::vector<gpu_kernel> kernels;
    for (const std::string& name : names) {
        gpu_kernel k{&g, nullptr};
        const int code_of_find = g.api->find_function(&k.function, module, name.c_str());
        if (code_of_find != driver_code::success) g.api->unload_module(module);
        check(g, "finding a kernel in its module", code_of_find);
        kernels.push_back(k);
    }
    return kernels;
}

void allow_shared(const gpu_kernel& k, int bytes) {
    if (!k.device->api->allow_shared) return;
    const device_scope scope(*k.device);
    check(*k.device, "reserving shared memory for a kernel",
          k.device->api->allow_shared(k.function, bytes));
}

uint64_t put_launch(gpu_stream& s, const gpu_kernel& k, const launch_shape& shape,
                    const void* argument) {
    const gpu& g = s.device();
    const device_scope scope(g);
    void* parameters[] = {const_cast<void*>(argument)};
    check(g, "launching a kernel",
          g.api->launch(k.function, shape.blocks, 1, 1, shape.threads, 1, 1, shape.shared,
                        s.handle(), parameters, nullptr));
    return s.put("launching a kernel");
}

}  // namespace sinter::runtime
