// Graphs of launches, with the names of the HIP runtime.
#include "core/base/codes.hpp"
#include "core/base/vendor.hpp"
#include "core/run/driver.hpp"
#include "exported.hpp"
#include "hip/release.hpp"

using namespace gpu_emulator;

namespace {

struct dim3 {
    unsigned x, y, z;
};
struct hipKernelNodeParams {
    dim3 blockDim;
    void** extra;
    void* func;
    dim3 gridDim;
    void** kernelParams;
    unsigned sharedMemBytes;
};

driver::kernel_node read(const hipKernelNodeParams& p) {
    return {p.func,
            {{p.gridDim.x, p.gridDim.y, p.gridDim.z},
             {p.blockDim.x, p.blockDim.y, p.blockDim.z},
             p.sharedMemBytes},
            p.kernelParams};
}

}  // namespace

EXPORTED int hipGraphCreate(void** graph, unsigned flags) {
    return driver::create_graph(current_device(), graph, flags);
}
EXPORTED int hipGraphDestroy(void* graph) { return driver::destroy_graph(current_device(), graph); }
EXPORTED int hipGraphAddKernelNode(void** node, void* graph, void* const* dependencies,
                                   std::size_t count, const hipKernelNodeParams* params) {
    if (!params || params->extra) return invalid_value;
    // Release 5 knows kernels of the program alone, not those of modules.
    if (release().major < 6) return invalid_device_function;
    return driver::add_kernel_node(current_device(), node, graph, dependencies, count,
                                   read(*params));
}
EXPORTED int hipGraphInstantiateWithFlags(void** instance, void* graph, unsigned long long flags) {
    return driver::instantiate(current_device(), instance, graph, flags);
}
EXPORTED int hipGraphExecDestroy(void* instance) {
    return driver::destroy_instance(current_device(), instance);
}
EXPORTED int hipGraphExecKernelNodeSetParams(void* instance, void* node,
                                             const hipKernelNodeParams* params) {
    if (!params || params->extra) return invalid_value;
    return driver::set_kernel_node(current_device(), instance, node, read(*params));
}
EXPORTED int hipGraphLaunch(void* instance, void* stream) {
    return driver::launch_instance(current_device(), instance, stream);
}
